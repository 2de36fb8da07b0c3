import { openHttp, parseLibsqlUrl } from "@libsql/hrana-client";
import { present } from "../../base/assert.ts";
import { cannotOpen, connect, type DatabasePlace } from "./connect.ts";
import type { Answer, Connection, OpenConnection } from "./connection.ts";
import { JointReads } from "./joint_reads.ts";
import { KeptStreams } from "./kept_streams.ts";

export async function openServer(place: DatabasePlace): Promise<OpenConnection> {
  const client = await connect(place);
  const plain: OpenConnection = {
    batch: async (statements, mode) =>
      await client.batch([...statements], mode) as unknown as readonly Answer[],
    close: () => client.close(),
  };
  if (client.protocol !== "http") return plain;
  const kept = keepStreams(place, plain);
  const joint = new JointReads(kept);
  return {
    batch: (statements, mode) => joint.batch(statements, mode),
    close: () => {
      kept.close();
      plain.close();
    },
  };
}

function keepStreams(place: DatabasePlace, overflow: Connection): KeptStreams {
  try {
    const { hranaHttpUrl, authToken = place.token } = parseLibsqlUrl(place.url);
    const client = openHttp(present(hranaHttpUrl, "It is spoken to over HTTP"), authToken);
    return new KeptStreams({ client, overflow });
  } catch (error) {
    throw cannotOpen(place, error);
  }
}
