import type { Db } from "./db.ts";
import type { SweepRow, TransactionRow } from "./rows.ts";
import type { SweepState } from "../domain/sweep_moves.ts";
import { Sweeps, Transactions } from "./tables.ts";

export function depositsOfSweep(db: Db, sweepId: number): Promise<TransactionRow[]> {
  return db.rows(Transactions, "WHERE sweep_id = ? AND direction = 'deposit' ORDER BY id", [
    sweepId,
  ]);
}

/** Confirmed deposits that no sweep has yet, of accounts that have somewhere to send them. */
export function unsweptDeposits(
  db: Db,
  { network, limit }: { network: string; limit: number },
): Promise<TransactionRow[]> {
  return db.rows(
    Transactions,
    `WHERE id IN (
  SELECT t.id
  FROM receiving_wallets AS w
  JOIN transactions AS t ON t.network = w.network AND t.account_id = w.account_id
  WHERE w.network = ? AND t.status = 'confirmed' AND t.direction = 'deposit' AND t.sweep_id IS NULL
    AND t.block_hash IS NOT NULL
    AND NOT EXISTS (
      SELECT 1
      FROM sweeps AS s
      WHERE s.address_id = t.address_id AND s.currency = t.currency AND s.open = 1
        AND s.state = 'sweeping')
  LIMIT ?
)
ORDER BY id`,
    [network, limit],
  );
}

/** Those whose time has come, longest waiting first. */
export function dueSweeps(
  db: Db,
  { network, nowMs, limit }: { network: string; nowMs: number; limit: number },
): Promise<SweepRow[]> {
  return db.rows(
    Sweeps,
    `WHERE network = ? AND state = 'waiting' AND next_try_at_ms <= ?
ORDER BY next_try_at_ms LIMIT ?`,
    [network, nowMs, limit],
  );
}

/** How many sweeps of a currency wait for an operator. */
export async function parkedSweeps(
  db: Db,
  { network, currency }: { network: string; currency: string },
): Promise<number> {
  const [row] = await db.query(
    `SELECT count(*) AS count
FROM sweeps
WHERE state = 'parked' AND network = ? AND currency = ?`,
    [network, currency],
  );
  return Number(row!.count);
}

export function sweepsIn(
  db: Db,
  { state, limit }: { state: SweepState | undefined; limit: number },
): Promise<SweepRow[]> {
  return state === undefined
    ? db.rows(Sweeps, "ORDER BY id DESC LIMIT ?", [limit])
    : db.rows(Sweeps, "WHERE state = ? ORDER BY id DESC LIMIT ?", [state, limit]);
}
