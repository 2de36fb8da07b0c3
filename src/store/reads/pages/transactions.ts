import { DIRECTIONS, TRANSACTION_STATUSES } from "../../../domain/states/transaction_moves.ts";
import type { Db, SqlValue } from "../../engine/db.ts";
import { type TransactionRow, Transactions } from "../../tables/transactions.ts";

export interface TransactionFilter {
  readonly accountId: number;
  readonly direction: string | null;
  readonly status: string | null;
  readonly network: string | null;
  /** Symbols, any of which matches. */
  readonly currencies: readonly string[] | null;
  /** Rows older than this id. */
  readonly cursor: number | null;
  readonly limit: number;
}

/** The assets that rows can have. */
type ListedAssets = readonly { readonly network: string; readonly symbol: string }[];

/**
 * Newest first. One index returns the rows of a single condition in order; for several, the pages
 * of each combination are merged.
 */
export async function transactionPage(
  db: Db,
  filter: TransactionFilter,
  assets: ListedAssets,
): Promise<TransactionRow[]> {
  const { accountId, direction, status, network, currencies, limit } = filter;
  if (currencies?.length === 0) return [];
  const given = [direction, status, network, currencies].filter((one) => one !== null).length;
  if (given > 1 || (currencies?.length ?? 0) > 1) return await pageOfKinds(db, filter, assets);
  const where = ["account_id = ?"];
  const args: SqlValue[] = [accountId];
  const add = (condition: string, value: SqlValue) => {
    if (value === null) return;
    where.push(condition);
    args.push(value);
  };
  add("direction = ?", direction);
  add("status = ?", status);
  add("network = ?", network);
  add("currency = ?", currencies?.[0] ?? null);
  add("id < ?", filter.cursor);
  return await db.rows(Transactions, `WHERE ${where.join(" AND ")} ORDER BY id DESC LIMIT ?`, [
    ...args,
    limit,
  ]);
}

const OF_KINDS = `WHERE id IN (
  SELECT r.value
  FROM json_each(?) AS k
  CROSS JOIN json_each((
    SELECT json_group_array(t.id)
    FROM (
      SELECT id
      FROM transactions INDEXED BY transactions_kind
      WHERE account_id = ? AND direction = k.value ->> 0 AND status = k.value ->> 1
        AND network = k.value ->> 2 AND currency = k.value ->> 3 AND id < ?
      ORDER BY id DESC
      LIMIT ?
    ) AS t
  )) AS r
)
ORDER BY id DESC
LIMIT ?`;

/** The newest of each requested combination of direction, status, network and currency, merged. */
async function pageOfKinds(
  db: Db,
  { accountId, cursor, limit, ...filter }: TransactionFilter,
  assets: ListedAssets,
): Promise<TransactionRow[]> {
  const { network, currencies } = filter;
  const directions = filter.direction === null ? DIRECTIONS : [filter.direction];
  const statuses = filter.status === null ? TRANSACTION_STATUSES : [filter.status];
  const wanted = assets.filter((asset) =>
    (network === null || asset.network === network) &&
    (currencies === null || currencies.includes(asset.symbol))
  );
  const kinds = directions.flatMap((direction) =>
    statuses.flatMap((status) => wanted.map((one) => [direction, status, one.network, one.symbol]))
  );
  return await db.rows(
    Transactions,
    OF_KINDS,
    [JSON.stringify(kinds), accountId, cursor ?? Number.MAX_SAFE_INTEGER, limit, limit],
  );
}

/** Whether anything ever moved in a currency. */
export async function hasMoved(
  db: Db,
  { network, symbol }: { network: string; symbol: string },
): Promise<boolean> {
  const rows = await db.query(
    `SELECT 1
FROM transactions INDEXED BY transactions_currency
WHERE currency = ? AND network = ?
LIMIT 1`,
    [symbol, network],
  );
  return rows.length > 0;
}

/** Each network's highest block ever read, which confirmations count from. */
export async function topHeights(db: Db): Promise<Map<string, number>> {
  const rows = await db.query("SELECT network, top_height FROM network_cursors");
  return new Map(rows.map((row) => [String(row.network), Number(row.top_height)]));
}
