import type { Db } from "../../store/engine/db.ts";
import { LedgerEntries, type LedgerEntryRow } from "../table.ts";

/** Of payments that were credited. */
export function creditsWorth(db: Db, ids: readonly number[]): Promise<LedgerEntryRow[]> {
  return db.rows(
    LedgerEntries,
    `WHERE transaction_id IN (SELECT value FROM json_each(?)) AND kind = 'credit'
  AND value IS NOT NULL`,
    [JSON.stringify(ids)],
  );
}

/** Of payouts that were paid; with their fees. */
export function debitsWorth(db: Db, ids: readonly number[]): Promise<LedgerEntryRow[]> {
  return db.rows(
    LedgerEntries,
    `WHERE withdrawal_id IN (SELECT value FROM json_each(?)) AND kind = 'debit'
  AND value IS NOT NULL`,
    [JSON.stringify(ids)],
  );
}
