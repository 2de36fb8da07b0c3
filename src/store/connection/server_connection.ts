import { openHttp, parseLibsqlUrl } from "@libsql/hrana-client";
import { LibsqlError } from "@libsql/core/api";
import { present } from "../../base/assert.ts";
import { Places } from "../../base/waiting/places.ts";
import { cannotOpen, connect, type DatabasePlace, type Fetch } from "./connect.ts";
import type { Answer, Connection, OpenConnection } from "./connection.ts";
import { JointReads } from "./joint_reads.ts";
import { KeptStreams } from "./kept_streams.ts";

/** A server has 128 connections for all who use it, and an open stream holds one. */
const STREAMS_MAX = { writer: 1, reads: 7, overflow: 8 };
/** A server that vanished never answers. No write and no read takes as long. */
const ANSWER_MS = 30_000;
/** Nor any migration, nor the deleting of old rows. */
const PATIENT_MS = 3_600_000;

function within(ms: number): Fetch {
  return (request) => fetch(request, { signal: AbortSignal.timeout(ms) });
}

export async function openServer(
  place: DatabasePlace,
  { fetch = within(ANSWER_MS) }: { fetch?: Fetch } = {},
): Promise<OpenConnection> {
  const patient = await openPlainly(place, within(PATIENT_MS));
  if (!patient.isHttp) return patient;
  const more = await openPlainly(place, fetch);
  const overflow = bounded(more);
  const client = openStreams(place, fetch);
  const kept = (streamsMax: number) => new KeptStreams({ client, overflow, streamsMax });
  return {
    batch: (statements, mode) => patient.batch(statements, mode),
    writer: kept(STREAMS_MAX.writer),
    reads: new JointReads(kept(STREAMS_MAX.reads)),
    close: () => {
      client.close();
      more.close();
      patient.close();
    },
  };
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
  const places = new Places(STREAMS_MAX.overflow, { waitMaxMs: ANSWER_MS });
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
