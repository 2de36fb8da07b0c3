import { type SqlRow } from "../../store/connection/connection.ts";
import type { LedgerMark } from "../rules/ledger_walk.ts";
import type { Db, SqlValue } from "../../store/engine/db.ts";
import { LedgerChecks, LedgerEntries } from "../table.ts";
import type { BalanceKey, LedgerCheckRow, LedgerEntryRow } from "../table.ts";
import { columnList, rowFromJson, rowsFromJson } from "../../store/tables/table.ts";
import { OPEN_WITHDRAWALS } from "../../withdrawals/table.ts";

export async function newestEntry(
  db: Db,
  { accountId, network, currency }: BalanceKey,
): Promise<LedgerEntryRow | undefined> {
  const [row] = await db.rows(
    LedgerEntries,
    "WHERE account_id = ? AND network = ? AND currency = ? ORDER BY id DESC LIMIT 1",
    [accountId, network, currency],
  );
  return row;
}

/** In order. */
export function entriesAfter(
  db: Db,
  { accountId, network, currency, id, limit }: BalanceKey & { id: number; limit: number },
): Promise<LedgerEntryRow[]> {
  return db.rows(
    LedgerEntries,
    "WHERE account_id = ? AND network = ? AND currency = ? AND id > ? ORDER BY id LIMIT ?",
    [accountId, network, currency, id, limit],
  );
}

export interface MarkedAsset extends BalanceKey {
  /** Null: never checked. */
  readonly checked: LedgerCheckRow | null;
}

const ASSETS_AFTER = `SELECT k.account_id, k.network, k.currency, c.entry_id,
  json_array(${columnList(LedgerChecks, "c")}) AS checked
FROM (
  SELECT account_id, network, currency
  FROM balances AS r
  WHERE (account_id, network, currency) > (?, ?, ?)
  UNION
  SELECT account_id, network, currency
  FROM ledger_checks AS r
  WHERE (account_id, network, currency) > (?, ?, ?)
  ORDER BY 1, 2, 3
  LIMIT ?
) AS k
LEFT JOIN ledger_checks AS c
  ON c.account_id = k.account_id AND c.network = k.network AND c.currency = k.currency
ORDER BY 1, 2, 3`;

/** A page of balances in key order, with how far each ledger was checked. */
export async function assetsAfter(
  db: Db,
  { after, limit }: { after: BalanceKey; limit: number },
): Promise<MarkedAsset[]> {
  const key = [after.accountId, after.network, after.currency];
  const rows = await db.query(
    ASSETS_AFTER,
    [...key, ...key, limit],
  );
  return rows.map((row) => ({
    ...keyOf(row),
    checked: row.entry_id === null ? null : rowFromJson(LedgerChecks, row.checked),
  }));
}

export interface LedgerTail extends BalanceKey {
  readonly balance: string;
  readonly held: string;
  /** Amount and fee of every open withdrawal. */
  readonly openCosts: readonly string[];
  /** In order, at most `limit`. */
  readonly entries: readonly LedgerEntryRow[];
}

const TAILS = `WITH open AS MATERIALIZED (
  SELECT w.account_id, w.network, w.currency, json_group_array(json_array(w.amount, w.fee)) AS costs
  FROM withdrawals AS w
  WHERE w.network IN (SELECT value ->> 1 FROM json_each(?)) AND w.status IN ${OPEN_WITHDRAWALS}
  GROUP BY 1, 2, 3
)
SELECT k.value ->> 0 AS account_id, k.value ->> 1 AS network, k.value ->> 2 AS currency,
  b.balance, b.held, o.costs,
  (
    SELECT json_group_array(json_array(${columnList(LedgerEntries, "r")}))
    FROM (
      SELECT *
      FROM ledger_entries AS e
      WHERE e.account_id = k.value ->> 0 AND e.network = k.value ->> 1
        AND e.currency = k.value ->> 2 AND e.id > k.value ->> 3
      ORDER BY e.id
      LIMIT ?
    ) AS r
  ) AS entries
FROM json_each(?) AS k
LEFT JOIN balances AS b
  ON b.account_id = k.value ->> 0 AND b.network = k.value ->> 1 AND b.currency = k.value ->> 2
LEFT JOIN open AS o
  ON o.account_id = k.value ->> 0 AND o.network = k.value ->> 1 AND o.currency = k.value ->> 2
ORDER BY k.key`;

/** The entries after these marks, with the balances of the same moment. In the order asked. */
export async function ledgerTails(
  db: Db,
  { assets, limit }: { assets: readonly (BalanceKey & { mark: LedgerMark })[]; limit: number },
): Promise<LedgerTail[]> {
  const text = JSON.stringify(
    assets.map((it) => [it.accountId, it.network, it.currency, it.mark.entryId]),
  );
  const rows = await db.query(TAILS, [text, limit, text]);
  return rows.map((row) => ({
    ...keyOf(row),
    balance: String(row.balance ?? "0"),
    held: String(row.held ?? "0"),
    openCosts: costsOf(row),
    entries: entriesOf(row.entries),
  }));
}

function costsOf(row: SqlRow): string[] {
  const costs: string[][] = JSON.parse(String(row.costs ?? "[]"));
  return costs.flat();
}

function entriesOf(json: unknown): LedgerEntryRow[] {
  return rowsFromJson(LedgerEntries, json).sort((a, b) => a.id - b.id);
}

function keyOf(row: Record<string, SqlValue>): BalanceKey {
  return {
    accountId: Number(row.account_id),
    network: String(row.network),
    currency: String(row.currency),
  };
}
