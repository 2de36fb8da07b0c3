import { systemClock } from "../base/clock.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { type DatabasePlace, isEmbedded, withoutSecrets } from "../store/connection/connect.ts";
import { filePathOf } from "../store/connection/database_folder.ts";
import { renameFile } from "../store/connection/files_anywhere.ts";
import { moveDatabase, type RowsProgress } from "../store/upkeep/copy_database.ts";
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
 * Moves a database from a file to a server. Nobody serves it or writes to it meanwhile, all rows are
 * compared, and the books and seals are checked there. Only then is the file put away: both have the
 * same keys, and two gateways that serve one each would pay twice.
 */
export async function move(
  from: DatabasePlace,
  { to, openAt, ...progress }: { to: DatabasePlace; openAt: OpenAt } & RowsProgress,
): Promise<Moved> {
  if (!isEmbedded(from.url)) throw refuse("moved_already", { url: withoutSecrets(from.url) });
  const { takeServeLock } = await import("../store/connection/serve_lock.ts");
  const lock = await takeServeLock(from.url);
  try {
    const counts = await moveDatabase(from, to, progress);
    const audit = await auditAt(to, openAt);
    const { differences, tampered, brokenAuditId } = audit;
    if (differences.length + tampered.length > 0 || brokenAuditId !== null) {
      throw refuse("moved_books_wrong", { url: withoutSecrets(to.url) });
    }
    const rows = [...counts.values()].reduce((sum, one) => sum + one, 0);
    return { ...audit, rows, tables: counts.size, keptFile: await putAway(filePathOf(from.url)) };
  } finally {
    lock.release();
  }
}

async function putAway(path: string): Promise<string> {
  const stamp = new Date(systemClock.nowMs()).toISOString().replace(/[-:]|\.\d+/g, "");
  const kept = `${path}.moved-${stamp}`;
  for (const part of ["", "-wal", "-shm"]) await renameFile(path + part, kept + part);
  return kept;
}
