import type { LedgerKind } from "../../domain/money/balance.ts";
import { type Db, queryOne } from "../../store/engine/db.ts";
import { AuditLog, type AuditRow } from "../../audit/table.ts";
import { type BalanceKey, LedgerEntries, type LedgerEntryRow } from "../table.ts";
import { defineTable, int, type RowOf, rowsFromJson, text } from "../../store/tables/table.ts";

/** More than any id. */
const ID_BITS = 52;

/**
 * Where an asset's entries of this time or later begin. Entries are numbered in the order of their
 * times, so this halves the ids until one is left. Clocks that disagree can move an entry to the
 * next period, but each is in exactly one.
 */
export async function ledgerIdAt(
  db: Db,
  { accountId, network, currency, atMs }: BalanceKey & { atMs: number },
): Promise<number> {
  const row = await queryOne(
    db,
    `WITH RECURSIVE search (id, step) AS (
  SELECT 0, 1 << ${ID_BITS - 1}
  UNION ALL
  SELECT id + step * coalesce((
      SELECT e.created_at_ms
      FROM ledger_entries AS e
      WHERE e.account_id = ? AND e.network = ? AND e.currency = ? AND e.id >= search.id + search.step
      ORDER BY e.id
      LIMIT 1
    ) < ?, 0), step / 2
  FROM search
  WHERE step > 0
)
SELECT id + 1 AS id FROM search WHERE step = 0`,
    [accountId, network, currency, atMs],
  );
  return Number(row.id);
}

export async function entryBefore(
  db: Db,
  { accountId, network, currency, id }: BalanceKey & { id: number },
): Promise<LedgerEntryRow | undefined> {
  const [row] = await db.rows(
    LedgerEntries,
    "WHERE account_id = ? AND network = ? AND currency = ? AND id < ? ORDER BY id DESC LIMIT 1",
    [accountId, network, currency, id],
  );
  return row;
}

/** Entries from `fromId` on, before `belowId`. */
export interface LedgerSpan extends BalanceKey {
  readonly fromId: number;
  readonly belowId: number;
}

export function entriesIn(
  db: Db,
  { accountId, network, currency, fromId, belowId, limit, isNewestFirst = false }: LedgerSpan & {
    limit: number;
    isNewestFirst?: boolean;
  },
): Promise<LedgerEntryRow[]> {
  const order = isNewestFirst ? "DESC" : "ASC";
  return db.rows(
    LedgerEntries,
    `WHERE account_id = ? AND network = ? AND currency = ? AND id >= ? AND id < ?
ORDER BY id ${order} LIMIT ?`,
    [accountId, network, currency, fromId, belowId, limit],
  );
}

/** The same table, of which only these columns are read. */
const EntryAmounts = defineTable("ledger_entries", {
  columns: {
    id: int(),
    kind: text<LedgerKind>(),
    amount: text(),
    value: text().orNull(),
    valueCurrency: text().orNull(),
  },
  primary: ["id"],
});
type EntryAmount = RowOf<typeof EntryAmounts>;

/** In order. */
export async function amountsIn(
  db: Db,
  { accountId, network, currency, fromId, belowId, limit }: LedgerSpan & { limit: number },
): Promise<EntryAmount[]> {
  const { entries } = await queryOne(
    db,
    `SELECT json_group_array(json_array(id, kind, amount, value, value_currency)) AS entries
FROM (
  SELECT id, kind, amount, value, value_currency
  FROM ledger_entries
  WHERE account_id = ? AND network = ? AND currency = ? AND id >= ? AND id < ?
  ORDER BY id
  LIMIT ?
)`,
    [accountId, network, currency, fromId, belowId, limit],
  );
  return rowsFromJson(EntryAmounts, entries);
}

const ADJUSTMENTS_AT_ONCE_MAX = 20;

/** What the audit log says about an account's manual entries of one moment. */
export async function adjustmentsAt(
  db: Db,
  { accountId, atMs }: { accountId: number; atMs: number },
): Promise<AuditRow[]> {
  const subject = `account:${accountId}`;
  return await db.rows(
    AuditLog,
    `WHERE subject = ? AND id > (
  WITH RECURSIVE search (id, step) AS (
    SELECT 0, 1 << ${ID_BITS - 1}
    UNION ALL
    SELECT id + step * coalesce((
        SELECT e.at_ms
        FROM audit_log AS e
        WHERE e.subject = ? AND e.id >= search.id + search.step
        ORDER BY e.id
        LIMIT 1
      ) < ?, 0), step / 2
    FROM search
    WHERE step > 0
  )
  SELECT id FROM search WHERE step = 0
) AND at_ms = ? AND action = 'account.adjusted'
ORDER BY id LIMIT ${ADJUSTMENTS_AT_ONCE_MAX}`,
    [subject, subject, atMs, atMs],
  );
}
