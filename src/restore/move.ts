import { systemClock } from "../base/clock.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { type DatabasePlace, isEmbedded, withoutSecrets } from "../store/connection/connect.ts";
import { filePathOf } from "../store/connection/database_folder.ts";
import { renameFile } from "../store/connection/files_anywhere.ts";
import { assertDatabaseThere } from "../store/connection/database_there.ts";
import {
  moveDatabase,
  movedTo,
  refuseTaken,
  type RowsProgress,
  takeWritesAgain,
  TargetTaken,
} from "../store/upkeep/copy_database.ts";
import type { CopyAudit } from "./audit_copy.ts";
import { auditAt, type OpenAt } from "./back_up.ts";

interface Moved extends CopyAudit {
  /** Of all tables together. */
  readonly rows: number;
  readonly tables: number;
  /** Where the file lies from now on, so that nothing serves it beside the server. */
  readonly keptFile: string;
}

/**
 * Moves a database from a file to a server. What is wrong in its books or seals is noticed before
 * anything is copied, and nobody serves it or writes to it while all rows are copied and compared.
 * Both have the same keys, and two gateways that serve one each would pay twice: so the file takes
 * no more writes before the copy is one that can be served, and it is put away.
 */
export async function move(
  from: DatabasePlace,
  { to, openAt, ...progress }: { to: DatabasePlace; openAt: OpenAt } & RowsProgress,
): Promise<Moved> {
  if (!isEmbedded(from.url)) throw refuse("moved_already", { url: withoutSecrets(from.url) });
  await assertDatabaseThere(from);
  const { takeServeLock } = await import("../store/connection/serve_lock.ts");
  const lock = await takeServeLock(from.url);
  try {
    await refuseMoved(from, to);
    const audit = await auditAt(from, openAt);
    const { differences, tampered, brokenAuditId } = audit;
    if (differences.length + tampered.length > 0 || brokenAuditId !== null) {
      throw refuse("moved_books_wrong", { url: withoutSecrets(from.url) });
    }
    const counts = await moveDatabase(from, to, progress);
    const rows = [...counts.values()].reduce((sum, one) => sum + one, 0);
    return { ...audit, rows, tables: counts.size, keptFile: await putAway(filePathOf(from.url)) };
  } finally {
    lock.release();
  }
}

/** One that broke off at its very end goes on once the server is empty again: nobody served it. */
async function refuseMoved(from: DatabasePlace, to: DatabasePlace): Promise<void> {
  const url = await movedTo(from);
  if (url !== undefined && url !== withoutSecrets(to.url)) throw refuse("database_moved", { url });
  await refuseTaken(to).catch((error) => {
    throw url !== undefined && error instanceof TargetTaken
      ? refuse("database_moved", { url })
      : error;
  });
  if (url !== undefined) await takeWritesAgain(from);
}

async function putAway(path: string): Promise<string> {
  const stamp = new Date(systemClock.nowMs()).toISOString().replace(/[-:]|\.\d+/g, "");
  const kept = `${path}.moved-${stamp}`;
  for (const part of ["", "-wal", "-shm"]) await renameFile(path + part, kept + part);
  return kept;
}
