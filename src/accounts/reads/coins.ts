import type { Db } from "../../store/engine/db.ts";
import { type CoinMove, type CoinMoveRow, CoinMoves } from "../tables/coins.ts";

/** Not added up yet, oldest first. */
export function coinMoves(db: Db, { limit }: { limit: number }): Promise<CoinMoveRow[]> {
  return db.rows(CoinMoves, "ORDER BY id LIMIT ?", [limit]);
}

export interface CoinsOf {
  readonly network: string;
  readonly currency: string;
  readonly kind: CoinMove;
  readonly sign: 1 | -1;
  readonly amount: string;
  readonly sinceMs: number;
  /** A move that isn't added up yet, whose fee is in the smallest unit. */
  readonly isNew: boolean;
}

/** Sums and what isn't in them yet, by one statement: nothing is missing or counted twice. */
export async function coinsOf(
  db: Db,
  { accountId, newMax }: { accountId: number; newMax: number },
): Promise<CoinsOf[]> {
  const rows = await db.query(
    `SELECT network, currency, kind, 1 AS sign, amount, since_ms, 0 AS is_new
FROM coin_sums
WHERE account_id = ?1
UNION ALL
SELECT *
FROM (
  SELECT network, currency, kind, sign, amount, at_ms AS since_ms, 1 AS is_new
  FROM coin_moves
  WHERE account_id = ?1
  ORDER BY id
  LIMIT ?2
)`,
    [accountId, newMax],
  );
  return rows.map((row) => ({
    network: String(row.network),
    currency: String(row.currency),
    kind: String(row.kind) as CoinMove,
    sign: row.sign === -1 ? -1 : 1,
    amount: String(row.amount),
    sinceMs: Number(row.since_ms),
    isNew: row.is_new === 1,
  }));
}
