import type { Db, SqlValue } from "./db.ts";
import type { TransactionRow } from "./rows.ts";
import { Transactions } from "./tables.ts";

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

export function transactionPage(db: Db, filter: TransactionFilter): Promise<TransactionRow[]> {
  const where = ["account_id = ?"];
  const args: SqlValue[] = [filter.accountId];
  const add = (condition: string, value: SqlValue) => {
    if (value === null) return;
    where.push(condition);
    args.push(value);
  };
  add("direction = ?", filter.direction);
  add("status = ?", filter.status);
  add("network = ?", filter.network);
  if (filter.currencies?.length === 1) add("currency = ?", filter.currencies[0]!);
  else if (filter.currencies) {
    add("currency IN (SELECT value FROM json_each(?))", JSON.stringify(filter.currencies));
  }
  add("id < ?", filter.cursor);
  return db.rows(Transactions, `WHERE ${where.join(" AND ")} ORDER BY id DESC LIMIT ?`, [
    ...args,
    filter.limit,
  ]);
}

/** The highest block ever read of each network: what confirmations count from. */
export async function topHeights(db: Db): Promise<Map<string, number>> {
  const rows = await db.query("SELECT network, top_height FROM network_cursors");
  return new Map(rows.map((row) => [String(row.network), Number(row.top_height)]));
}
