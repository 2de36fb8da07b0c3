import { invariant } from "../base/assert.ts";
import { sleep } from "../base/clock.ts";
import { OperatorError } from "../domain/refusal.ts";
import { connect, type DatabasePlace, isEmbedded, messageOf, withoutSecrets } from "./connect.ts";
import type { Answer, Connection, Statement } from "./connection.ts";
import { filePathOf } from "./database_folder.ts";
import { writeFaultOf } from "./faults.ts";

const WAL_ATTEMPTS_MAX = 20;

export interface OpenConnection extends Connection {
  close(): void;
}

/** Names each failure's kind. */
export async function openConnection(place: DatabasePlace): Promise<OpenConnection> {
  const connection = isEmbedded(place.url) ? await openFile(place) : await openServer(place);
  return {
    batch: async (statements, mode) => {
      try {
        return await connection.batch(statements, mode);
      } catch (error) {
        throw writeFaultOf(error) ?? error;
      }
    },
    close: () => connection.close(),
  };
}

async function openServer(place: DatabasePlace): Promise<OpenConnection> {
  const client = await connect(place);
  return {
    batch: async (statements, mode) =>
      await client.batch(statements as Statement[], mode) as unknown as readonly Answer[],
    close: () => client.close(),
  };
}

/**
 * A commit that was answered must survive a power cut: write-ahead log, full synchronisation. The
 * native add-on is loaded here and not before: a server is reached where native code may not run.
 */
async function openFile(place: DatabasePlace): Promise<OpenConnection> {
  // The client says what is wrong with an address or a folder.
  await switchToWal(place);
  let connection: OpenConnection | undefined;
  try {
    const { FileConnection } = await import("./file_connection.ts");
    connection = new FileConnection(filePathOf(place.url));
    const [journal] = await connection.batch([pragma("journal_mode")], "read");
    const [synchronous] = await connection.batch([pragma("synchronous")], "read");
    invariant(journal!.rows[0]?.journal_mode === "wal", "The database is not in WAL mode");
    invariant(synchronous!.rows[0]?.synchronous === 2, "The database does not commit durably");
    return connection;
  } catch (error) {
    connection?.close();
    throw cannotOpen(place, error);
  }
}

function pragma(name: string): Statement {
  return { sql: `PRAGMA ${name}`, args: [], isOneRow: true };
}

/** The file remembers it. Another program may be opening the same new file at this moment. */
async function switchToWal(place: DatabasePlace): Promise<void> {
  for (let attempt = 1;; attempt++) {
    const client = await connect(place);
    try {
      await client.execute("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      const isBusy = writeFaultOf(error)?.kind === "busy";
      if (!isBusy || attempt === WAL_ATTEMPTS_MAX) throw cannotOpen(place, error);
      await sleep(20 * attempt);
    } finally {
      client.close();
    }
  }
}

function cannotOpen({ url }: DatabasePlace, error: unknown): OperatorError {
  return new OperatorError(
    `Cannot open the database ${withoutSecrets(url)}: ${messageOf(error)}`,
    { cause: error },
  );
}
