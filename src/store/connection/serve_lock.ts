import { createClient } from "@libsql/client/sqlite3";
import { OperatorError } from "../../domain/refusal.ts";
import { ensureDatabaseFolder } from "./database_folder.ts";
import { whyNotOpened } from "./connect.ts";
import { writeFaultOf } from "./faults.ts";

export interface ServeLock {
  release(): void;
}

/**
 * Two servers on one file would follow the chains twice. The lock is an open write transaction on a
 * file beside the database; the system drops it when the process ends, however that happens.
 */
export async function takeServeLock(databaseUrl: string): Promise<ServeLock> {
  await ensureDatabaseFolder(databaseUrl);
  const client = openLockFile(databaseUrl);
  try {
    const held = await client.transaction("write");
    return {
      release: () => {
        // Closing only the client would keep the open transaction's connection.
        held.close();
        client.close();
      },
    };
  } catch (error) {
    client.close();
    if (writeFaultOf(error)?.kind !== "busy") throw notOpened(databaseUrl, error);
    throw new OperatorError(
      `Another gateway is already serving ${databaseUrl}: stop it first, or use another CPG_DATABASE_URL`,
      { cause: error },
    );
  }
}

function openLockFile(databaseUrl: string) {
  try {
    return createClient({ url: `${databaseUrl}.serving`, concurrency: 1 });
  } catch (error) {
    throw notOpened(databaseUrl, error);
  }
}

function notOpened(databaseUrl: string, error: unknown): OperatorError {
  return new OperatorError(
    `Cannot open the database ${databaseUrl}: ${whyNotOpened(databaseUrl, error)}`,
    { cause: error },
  );
}
