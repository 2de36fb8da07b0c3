import type { Db } from "../../engine/db.ts";
import { LedgerEntries, type LedgerEntryRow } from "../../tables/ledger.ts";
import { VolumeCursor, type VolumeRow, Volumes } from "../../tables/volumes.ts";

/** The sums over all accounts are kept under this id. */
export const ALL_ACCOUNTS = 0;

/** Only the job that adds up moves this cursor. */
export async function volumeCursor(db: Db): Promise<number> {
  const row = await db.find(VolumeCursor, [1]);
  return row?.entryId ?? 0;
}

export function entriesAfter(
  db: Db,
  { entryId, limit }: { entryId: number; limit: number },
): Promise<LedgerEntryRow[]> {
  return db.rows(LedgerEntries, "WHERE id > ? ORDER BY id LIMIT ?", [entryId, limit]);
}

export function volumesSince(
  db: Db,
  { accountId, span, sinceMs }: { accountId: number; span: "hour" | "day"; sinceMs: number },
): Promise<VolumeRow[]> {
  return db.rows(
    Volumes,
    "WHERE account_id = ? AND span = ? AND starts_at_ms >= ? ORDER BY starts_at_ms",
    [accountId, span, sinceMs],
  );
}
