import type { Db } from "../../store/engine/db.ts";
import type { KeyPath } from "../../wallets/rules/key_path.ts";

/**
 * How many addresses in a row no payment has reached, at most: so far a wallet must look ahead. Those
 * that were left out count too.
 */
export async function longestGap(
  db: Db,
  { coinType, account, branch }: Omit<KeyPath, "index">,
): Promise<number> {
  const [row] = await db.query(
    `SELECT max(gap) AS gap
FROM (
  SELECT a.key_index - lag(a.key_index, 1, -1) OVER (ORDER BY a.key_index) - 1 AS gap
  FROM addresses AS a
  WHERE a.key_coin_type = ?1 AND a.key_account = ?2 AND a.key_branch = ?3 AND EXISTS (
    SELECT 1
    FROM transactions AS t
    WHERE t.address_id = a.id AND t.direction = 'deposit' AND t.status <> 'failed')
  UNION ALL
  SELECT max(a.key_index) - coalesce((
    SELECT max(u.key_index)
    FROM addresses AS u
    WHERE u.key_coin_type = ?1 AND u.key_account = ?2 AND u.key_branch = ?3 AND EXISTS (
      SELECT 1
      FROM transactions AS t
      WHERE t.address_id = u.id AND t.direction = 'deposit' AND t.status <> 'failed')), -1)
  FROM addresses AS a
  WHERE a.key_coin_type = ?1 AND a.key_account = ?2 AND a.key_branch = ?3
)`,
    [coinType, account, branch],
  );
  return Number(row?.gap ?? 0);
}
