import { invariant } from "../../base/assert.ts";
import { sleep } from "../../base/clock.ts";
import { cannotOpen, connect, type DatabasePlace, isEmbedded } from "./connect.ts";
import type { Connection, OpenConnection, Statement } from "./connection.ts";
import { filePathOf } from "./database_folder.ts";
import { writeFaultOf } from "./faults.ts";

const OPENINGS_MAX = 20;

/** Its failures are `WriteFault`s with a kind. */
export async function openConnection(place: DatabasePlace): Promise<OpenConnection> {
  const connection = isEmbedded(place.url) ? await openFile(place) : await openServer(place);
  return {
    ...withKinds(connection),
    writer: withKinds(connection.writer),
    reads: withKinds(connection.reads),
    close: () => connection.close(),
  };
}

function withKinds(connection: Connection): Connection {
  return {
    batch: async (statements, mode) => {
      try {
        return await connection.batch(statements, mode);
      } catch (error) {
        throw writeFaultOf(error) ?? error;
      }
    },
  };
}

async function openServer(place: DatabasePlace): Promise<OpenConnection> {
  const { openServer } = await import("./server_connection.ts");
  return await openServer(place);
}

/**
 * Another program may be creating the same file, or closing it as its last user, and hold it
 * exclusively.
 */
async function openFile(place: DatabasePlace): Promise<OpenConnection> {
  for (let attempt = 1;; attempt++) {
    try {
      return await openFileOnce(place);
    } catch (error) {
      const isBusy = writeFaultOf(error)?.kind === "busy";
      if (!isBusy || attempt === OPENINGS_MAX) throw cannotOpen(place, error);
      await sleep(20 * attempt);
    }
  }
}

/**
 * An acknowledged commit must survive a power cut, hence the write-ahead log and full
 * synchronisation. The native add-on is loaded only here, because a server may be used where native
 * code can't run.
 */
async function openFileOnce(place: DatabasePlace): Promise<OpenConnection> {
  await switchToWal(place);
  const { FileConnection } = await import("./file_connection.ts");
  const connection = new FileConnection(filePathOf(place.url));
  try {
    const [journal] = await connection.batch([pragma("journal_mode")], "read");
    const [synchronous] = await connection.batch([pragma("synchronous")], "read");
    invariant(journal?.rows[0]?.journal_mode === "wal", "The database is not in WAL mode");
    invariant(synchronous?.rows[0]?.synchronous === 2, "The database does not commit durably");
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function pragma(name: string): Statement {
  return { sql: `PRAGMA ${name}`, args: [], isOneRow: true };
}

/** The setting is stored in the file. */
async function switchToWal(place: DatabasePlace): Promise<void> {
  const client = await connect(place);
  try {
    await client.execute("PRAGMA journal_mode = WAL");
  } finally {
    client.close();
  }
}
