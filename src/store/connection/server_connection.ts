import { openHttp, parseLibsqlUrl } from "@libsql/hrana-client";
import { LibsqlError } from "@libsql/core/api";
import { present } from "../../base/assert.ts";
import { Places } from "../../base/waiting/places.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { type Fetch, fetchWithin, PATIENT_MS } from "./answer_limits.ts";
import { askFirst, cannotOpen, connect, type DatabasePlace } from "./connect.ts";
import type { Answer, Connection, OpenConnection } from "./connection.ts";
import { JointReads } from "./joint_reads.ts";
import { KeptStreams } from "./kept_streams.ts";
import { PULSE, Pulse } from "./pulse.ts";

/** A server has 128 connections for all who use it, and an open stream holds one. */
const STREAMS_MAX = { writer: 1, reads: 7, overflow: 8 };
/** How long whoever finds all of them taken waits for one. */
const PLACE_MS = 5_000;
/** No write and no read takes as long, even if the server answers others meanwhile. */
const ANSWER_MS = 30_000;
const NOTHING = { sql: "SELECT 1", args: [] };

export async function openServer(
  place: DatabasePlace,
  { fetch = fetchWithin(ANSWER_MS) }: { fetch?: Fetch } = {},
): Promise<OpenConnection> {
  await assertAnswers(place);
  const patient = await openPlainly(place, fetchWithin(PATIENT_MS));
  const asking = await openPlainly(place, fetchWithin(PULSE.answerMs));
  const pulse = new Pulse(() => asking.batch([NOTHING], "read"));
  if (!patient.isHttp) {
    return {
      ...patient,
      writer: pulse.over(patient.writer),
      reads: pulse.over(patient.reads),
      close: () => {
        asking.close();
        patient.close();
      },
    };
  }
  const more = await openPlainly(place, fetch);
  const overflow = bounded(more);
  const client = openStreams(place, fetch);
  const kept = (streamsMax: number) => new KeptStreams({ client, overflow, streamsMax });
  return {
    batch: (statements, mode) => patient.batch(statements, mode),
    writer: pulse.over(kept(STREAMS_MAX.writer)),
    reads: pulse.over(new JointReads(kept(STREAMS_MAX.reads))),
    close: () => {
      asking.close();
      client.close();
      more.close();
      patient.close();
    },
  };
}

/** Migrations, which come next, would wait for an hour. */
async function assertAnswers(place: DatabasePlace): Promise<void> {
  const client = await connect(place);
  try {
    await askFirst(client, { place, sql: "SELECT 1" });
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    // What else may be wrong, the next question tells as well.
  } finally {
    client.close();
  }
}

async function openPlainly(place: DatabasePlace, fetch: Fetch) {
  const client = await connect(place, { fetch });
  const batch: OpenConnection["batch"] = async (statements, mode) =>
    await client.batch([...statements], mode) as unknown as readonly Answer[];
  return {
    isHttp: client.protocol === "http",
    batch,
    writer: { batch },
    reads: { batch },
    close: () => client.close(),
  };
}

/** A server that stands still would otherwise find all of its connections taken when it goes on. */
function bounded({ batch }: Connection): Connection {
  const places = new Places(STREAMS_MAX.overflow, { waitMaxMs: PLACE_MS });
  return {
    batch: async (statements, mode) => {
      if (!await places.take()) throw new LibsqlError("The server is busy", "SQLITE_BUSY");
      try {
        return await batch(statements, mode);
      } finally {
        places.leave();
      }
    },
  };
}

function openStreams(place: DatabasePlace, fetch: Fetch) {
  try {
    const { hranaHttpUrl, authToken = place.token } = parseLibsqlUrl(place.url);
    return openHttp(present(hranaHttpUrl, "It is spoken to over HTTP"), authToken, fetch);
  } catch (error) {
    throw cannotOpen(place, error);
  }
}
