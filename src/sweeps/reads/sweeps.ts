import { type Db, queryOne } from "../../store/engine/db.ts";
import { type SweepRow, Sweeps } from "../table.ts";
import { type TransactionRow, Transactions } from "../../deposits/tables/transactions.ts";

export function depositsOfSweep(db: Db, sweepId: number): Promise<TransactionRow[]> {
  return db.rows(Transactions, "WHERE sweep_id = ? AND direction = 'deposit' ORDER BY id", [
    sweepId,
  ]);
}

const IS_UNSWEPT = `t.network = ?1 AND t.status = 'confirmed' AND t.direction = 'deposit'
    AND t.sweep_id IS NULL`;
/** Dust costs more to move than it is worth, so it never starts a sweep. */
const IS_SWEEPABLE = `${IS_UNSWEPT} AND t.is_below_minimum = 0`;

/**
 * Steps from account to account: an account that keeps its deposits, for lack of a wallet, costs
 * one step.
 */
export const ACCOUNTS_WITH_UNSWEPT = `owing (account_id) AS (
  SELECT min(t.account_id)
  FROM transactions AS t INDEXED BY transactions_sweepable
  WHERE ${IS_SWEEPABLE}
  UNION ALL
  SELECT (SELECT min(t.account_id)
    FROM transactions AS t INDEXED BY transactions_sweepable
    WHERE ${IS_SWEEPABLE} AND t.account_id > o.account_id)
  FROM owing AS o
  WHERE o.account_id IS NOT NULL
)`;

/** On the network of the first argument. */
export const UNSWEPT_IDS = `SELECT t.id
FROM owing AS o
CROSS JOIN receiving_wallets AS w
CROSS JOIN transactions AS t INDEXED BY transactions_sweepable
WHERE w.account_id = o.account_id AND w.network = ?1 AND t.account_id = o.account_id
  AND ${IS_SWEEPABLE} AND t.block_hash IS NOT NULL
  AND NOT EXISTS (
    SELECT 1
    FROM sweeps AS s
    WHERE s.address_id = t.address_id AND s.currency = t.currency AND s.open = 1
      AND s.state = 'sweeping')`;

/** Confirmed deposits that may start a sweep and have none, of accounts with a receiving wallet. */
export function unsweptDeposits(
  db: Db,
  { network, limit }: { network: string; limit: number },
): Promise<TransactionRow[]> {
  return db.rows(
    Transactions,
    `WHERE id IN (
  WITH RECURSIVE ${ACCOUNTS_WITH_UNSWEPT}
  ${UNSWEPT_IDS}
  LIMIT ?2
)
ORDER BY id`,
    [network, limit],
  );
}

interface Place {
  readonly network: string;
  readonly accountId: number;
  readonly addressId: number;
  readonly currency: string;
}

/** All confirmed deposits on one address that belong to no sweep. */
export function unsweptAt(
  db: Db,
  { network, accountId, addressId, currency, limit }: Place & { limit: number },
): Promise<TransactionRow[]> {
  return db.rows(
    Transactions,
    `INDEXED BY transactions_unswept
WHERE network = ? AND account_id = ? AND address_id = ? AND currency = ? AND status = 'confirmed'
  AND direction = 'deposit' AND sweep_id IS NULL AND block_hash IS NOT NULL
LIMIT ?`,
    [network, accountId, addressId, currency, limit],
  );
}

const IS_UNSPENT = `NOT EXISTS (
    SELECT 1
    FROM claims AS c
    CROSS JOIN signed_transactions AS s ON s.id = c.signed_id
    WHERE c.network = t.network AND c.claim = t.tx_hash || ':' || t.position
      AND s.block_hash IS NOT NULL)`;

/**
 * Deposits on one address that count as moved on, newest first. Where money lies in outputs, those
 * can be left out that a block has spent.
 */
export function sweptAt(
  db: Db,
  { addressId, currency, isUnspent, limit }: Pick<Place, "addressId" | "currency"> & {
    isUnspent: boolean;
    limit: number;
  },
): Promise<TransactionRow[]> {
  return db.rows(
    Transactions,
    `AS t INDEXED BY transactions_address
WHERE t.address_id = ? AND t.currency = ? AND t.status = 'swept' AND t.direction = 'deposit'
  AND ${isUnspent ? IS_UNSPENT : "1"}
ORDER BY t.id DESC LIMIT ?`,
    [addressId, currency, limit],
  );
}

/** All deposits on one address that belong to no sweep, credited or not. */
export async function unmovedDeposits(
  db: Db,
  { network, accountId, addressId, currency }: Place,
): Promise<TransactionRow[]> {
  const [confirmed, detected] = await Promise.all([
    db.rows(
      Transactions,
      `INDEXED BY transactions_unswept
WHERE network = ? AND account_id = ? AND address_id = ? AND currency = ? AND status = 'confirmed'
  AND direction = 'deposit' AND sweep_id IS NULL`,
      [network, accountId, addressId, currency],
    ),
    db.rows(
      Transactions,
      `INDEXED BY transactions_detected
WHERE network = ? AND status = 'detected' AND direction = 'deposit' AND address_id = ?
  AND currency = ? AND sweep_id IS NULL`,
      [network, addressId, currency],
    ),
  ]);
  return [...confirmed, ...detected];
}

interface Turn {
  readonly network: string;
  readonly nowMs: number;
}

/**
 * The next accounts in the order of their ids, and whether each has a sweep that is due. Those
 * whose sweeps all have to wait longer cost a step too.
 */
export async function accountsWithSweeps(
  db: Db,
  { network, nowMs, afterId, limit }: Turn & { afterId: number; limit: number },
): Promise<{ accountId: number; isDue: boolean }[]> {
  const rows = await db.query(
    `WITH RECURSIVE turns (account_id, step) AS (
  SELECT min(s.account_id), 1
  FROM sweeps AS s INDEXED BY sweeps_due_of_account
  WHERE s.network = ?1 AND s.state = 'waiting' AND s.account_id > ?2
  UNION ALL
  SELECT (SELECT min(s.account_id)
    FROM sweeps AS s INDEXED BY sweeps_due_of_account
    WHERE s.network = ?1 AND s.state = 'waiting' AND s.account_id > t.account_id), t.step + 1
  FROM turns AS t
  WHERE t.account_id IS NOT NULL AND t.step < ?4
)
SELECT t.account_id, EXISTS (
  SELECT 1
  FROM sweeps AS s INDEXED BY sweeps_due_of_account
  WHERE s.network = ?1 AND s.state = 'waiting' AND s.account_id = t.account_id
    AND s.next_try_at_ms <= ?3) AS is_due
FROM turns AS t
WHERE t.account_id IS NOT NULL`,
    [network, afterId, nowMs, limit],
  );
  return rows.map((row) => ({ accountId: Number(row.account_id), isDue: row.is_due === 1 }));
}

/** Up to so many of each account, longest waiting first. */
export function dueSweeps(
  db: Db,
  { network, nowMs, accountIds, limitEach }: Turn & {
    accountIds: readonly number[];
    limitEach: number;
  },
): Promise<SweepRow[]> {
  return db.rows(
    Sweeps,
    `WHERE id IN (
  SELECT s.id
  FROM json_each(?3) AS a
  CROSS JOIN sweeps AS s
  WHERE s.id IN (
    SELECT d.id
    FROM sweeps AS d INDEXED BY sweeps_due_of_account
    WHERE d.network = ?1 AND d.state = 'waiting' AND d.account_id = a.value
      AND d.next_try_at_ms <= ?2
    ORDER BY d.next_try_at_ms LIMIT ?4)
)
ORDER BY next_try_at_ms`,
    [network, nowMs, JSON.stringify(accountIds), limitEach],
  );
}

/**
 * Sweeps of a currency that wait for an operator: the account's own, and how many accounts have some
 * that were parked since then.
 */
export async function parkedSweeps(
  db: Db,
  { network, currency, accountId }: { network: string; currency: string; accountId: number },
  { sinceMs }: { sinceMs: number },
): Promise<{ own: number; accounts: number }> {
  const row = await queryOne(
    db,
    `SELECT coalesce(sum(account_id = ?1), 0) AS own,
  count(DISTINCT CASE WHEN next_try_at_ms >= ?2 THEN account_id END) AS accounts
FROM sweeps
WHERE state = 'parked' AND network = ?3 AND currency = ?4`,
    [accountId, sinceMs, network, currency],
  );
  return { own: Number(row.own), accounts: Number(row.accounts) };
}
