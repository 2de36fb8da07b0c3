import type { Db } from "../../store/engine/db.ts";

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
