import type { Db } from "../../store/engine/db.ts";
import { type DepositInputRow, DepositInputs } from "../tables/inputs.ts";

/** Which of these outpoints deposits spend that aren't credited yet. */
export async function watchedAmong(
  db: Db,
  { network, outpoints }: { network: string; outpoints: readonly string[] },
): Promise<ReadonlySet<string>> {
  const rows = await db.query(
    `SELECT j.value AS outpoint
FROM json_each(?) AS j
WHERE EXISTS (
  SELECT 1
  FROM deposit_inputs AS i INDEXED BY deposit_inputs_outpoint
  WHERE i.network = ? AND i.outpoint = j.value)`,
    [JSON.stringify(outpoints), network],
  );
  return new Set(rows.map(({ outpoint }) => String(outpoint)));
}

export function inputsAt(
  db: Db,
  { network, outpoints }: { network: string; outpoints: readonly string[] },
): Promise<DepositInputRow[]> {
  return db.rows(
    DepositInputs,
    `INDEXED BY deposit_inputs_outpoint
WHERE network = ? AND outpoint IN (SELECT value FROM json_each(?))`,
    [network, JSON.stringify(outpoints)],
  );
}

export function inputsSpentAbove(
  db: Db,
  { network, height }: { network: string; height: number },
): Promise<DepositInputRow[]> {
  return db.rows(
    DepositInputs,
    `INDEXED BY deposit_inputs_spent
WHERE network = ? AND spent_height > ? AND spent_hash IS NOT NULL`,
    [network, height],
  );
}

export function inputsOf(
  db: Db,
  { network, txHash }: { network: string; txHash: string },
): Promise<DepositInputRow[]> {
  return db.rows(
    DepositInputs,
    "INDEXED BY deposit_inputs_input WHERE network = ? AND tx_hash = ? ORDER BY outpoint",
    [network, txHash],
  );
}

/**
 * Of deposits that wait no longer, and of coins of wallets that are this deep; what was spent
 * otherwise stays until it is.
 */
export function settledInputs(
  db: Db,
  { network, height, limit }: { network: string; height: number; limit: number },
): Promise<DepositInputRow[]> {
  return db.rows(
    DepositInputs,
    `AS i INDEXED BY deposit_inputs_input
WHERE i.network = ?1 AND (i.spent_hash IS NULL OR i.spent_height <= ?2) AND NOT EXISTS (
    SELECT 1
    FROM transactions AS t INDEXED BY transactions_movement
    WHERE t.network = ?1 AND t.tx_hash = i.tx_hash AND t.live = 1 AND t.status = 'detected')
  AND NOT EXISTS (
    SELECT 1
    FROM outputs AS o INDEXED BY outputs_outpoint
    CROSS JOIN addresses AS a ON a.network = ?1 AND a.address = o.address
    WHERE o.network = ?1 AND o.tx_hash = i.tx_hash AND a.purpose = 'hot'
      AND (o.block_hash IS NULL OR o.block_number > ?2))
LIMIT ?3`,
    [network, height, limit],
  );
}

/**
 * By id: which of these can't come, because a block or a payment seen later spends the same. Of a
 * payer who pays a higher fee, only the newer one counts.
 */
export async function overtakenAmong(
  db: Db,
  rows: readonly { readonly id: number; readonly network: string; readonly txHash: string }[],
): Promise<ReadonlySet<number>> {
  if (rows.length === 0) return new Set();
  const found = await db.query(
    `SELECT j.value ->> 0 AS id
FROM json_each(?) AS j
WHERE EXISTS (
  SELECT 1
  FROM deposit_inputs AS i INDEXED BY deposit_inputs_input
  WHERE i.network = j.value ->> 1 AND i.tx_hash = j.value ->> 2
    AND (i.spent_hash IS NOT NULL OR EXISTS (
      SELECT 1
      FROM deposit_inputs AS r INDEXED BY deposit_inputs_outpoint
      WHERE r.network = i.network AND r.outpoint = i.outpoint AND r.spender <> i.spender
        AND r.id > i.id)))`,
    [JSON.stringify(rows.map(({ id, network, txHash }) => [id, network, txHash]))],
  );
  return new Set(found.map(({ id }) => Number(id)));
}
