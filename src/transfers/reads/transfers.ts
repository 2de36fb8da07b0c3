import { type Db, queryOne } from "../../store/engine/db.ts";
import {
  type Paying,
  type Signed,
  type SignedPaymentRow,
  SignedPayments,
  type SignedTransactionRow,
  SignedTransactions,
} from "../table.ts";

/** Each with what it does. */
export async function withPayments(
  db: Db,
  rows: readonly SignedTransactionRow[],
): Promise<Signed[]> {
  const payments = await paymentsOf(db, rows);
  return rows.map((tx) => ({ tx, payments: payments.get(tx.id) ?? [] }));
}

/** By transaction, in their order. */
export async function paymentsOf(
  db: Db,
  rows: readonly SignedTransactionRow[],
): Promise<ReadonlyMap<number, readonly SignedPaymentRow[]>> {
  const own = rows.filter(({ isForeign }) => !isForeign);
  if (own.length === 0) return new Map();
  const payments = await db.rows(
    SignedPayments,
    "WHERE signed_id IN (SELECT value FROM json_each(?)) ORDER BY signed_id, position",
    [JSON.stringify(own.map(({ id }) => id))],
  );
  return Map.groupBy(payments, ({ signedId }) => signedId);
}

/** Signed and possibly sent, the lowest place first. */
export function openTransactionsOf(
  db: Db,
  { network, sender }: { network: string; sender: string },
): Promise<SignedTransactionRow[]> {
  return db.rows(
    SignedTransactions,
    `INDEXED BY signed_transactions_open
WHERE network = ? AND sender = ? AND state = 'open' ORDER BY place`,
    [network, sender],
  );
}

/** Open sweeps in no block that spend the output of a deposit which has left the chain. */
export function orphanedSweeps(db: Db, network: string): Promise<SignedTransactionRow[]> {
  return db.rows(
    SignedTransactions,
    `AS t INDEXED BY signed_transactions_open
WHERE t.network = ? AND t.state = 'open' AND t.block_hash IS NULL AND EXISTS (
  SELECT 1
  FROM signed_payments AS p
  CROSS JOIN transactions AS d ON d.sweep_id = p.sweep_id
  CROSS JOIN claims AS c ON c.signed_id = t.id AND c.claim = d.tx_hash || ':' || d.position
  WHERE p.signed_id = t.id AND p.purpose = 'sweep' AND d.direction = 'deposit'
    AND d.status = 'failed')
ORDER BY t.id`,
    [network],
  );
}

/** Newest first. */
export function newestTransactionsOf(
  db: Db,
  { network, sender, limit, offset }: {
    network: string;
    sender: string;
    limit: number;
    offset: number;
  },
): Promise<SignedTransactionRow[]> {
  return db.rows(
    SignedTransactions,
    "WHERE network = ? AND sender = ? ORDER BY place DESC, id DESC LIMIT ? OFFSET ?",
    [network, sender, limit, offset],
  );
}

/** Mined for good, and their owners' rows weren't genuine then. */
export function unsettledPayments(db: Db, network: string): Promise<SignedPaymentRow[]> {
  return db.rows(SignedPayments, "WHERE network = ? AND unsettled IS NOT NULL ORDER BY id", [
    network,
  ]);
}

/** Whether anything signed may still move something from this address. */
export async function isMoving(
  db: Db,
  { network, address }: { network: string; address: string },
): Promise<boolean> {
  const rows = await db.query(
    `SELECT 1
FROM signed_payments AS p INDEXED BY signed_payments_from
CROSS JOIN signed_transactions AS t ON t.id = p.signed_id
WHERE p.network = ? AND p.from_address = ? AND t.state = 'open'
LIMIT 1`,
    [network, address],
  );
  return rows.length > 0;
}

export function openTransactions(db: Db, network: string): Promise<SignedTransactionRow[]> {
  return db.rows(
    SignedTransactions,
    "WHERE network = ? AND state = 'open' ORDER BY sender, place",
    [network],
  );
}

/** The newest one that may still be mined; a void if its payment is being cancelled. */
export function openPaymentOfWithdrawal(db: Db, id: number): Promise<Paying | undefined> {
  return newestOf(db, { id, state: "open" });
}

/** The one that was mined for good. */
export function settledPaymentOfWithdrawal(db: Db, id: number): Promise<Paying | undefined> {
  return newestOf(db, { id, state: "settled" });
}

async function newestOf(
  db: Db,
  { id, state }: { id: number; state: SignedTransactionRow["state"] },
): Promise<Paying | undefined> {
  const [tx] = await db.rows(
    SignedTransactions,
    `WHERE state = ? AND id IN (SELECT signed_id FROM signed_payments WHERE withdrawal_id = ?)
ORDER BY id DESC LIMIT 1`,
    [state, id],
  );
  const payment = tx && (await paymentsOf(db, [tx])).get(tx.id)
    ?.find(({ withdrawalId }) => withdrawalId === id);
  return payment && { tx, payment };
}

/** In the order of signing, each with its payment for this one. */
export function signedForWithdrawal(db: Db, withdrawalId: number): Promise<Paying[]> {
  return signedFor(db, "withdrawal_id", withdrawalId);
}

export function signedForSweep(db: Db, sweepId: number): Promise<Paying[]> {
  return signedFor(db, "sweep_id", sweepId);
}

/** Which of these sweeps something else was signed for, after the first of these transactions. */
export async function sweepsSignedSince(
  db: Db,
  { sweepIds, signedIds }: { sweepIds: readonly number[]; signedIds: readonly number[] },
): Promise<ReadonlySet<number>> {
  if (sweepIds.length === 0) return new Set();
  const rows = await db.query(
    `SELECT DISTINCT sweep_id
FROM signed_payments INDEXED BY signed_payments_sweep
WHERE sweep_id IN (SELECT value FROM json_each(?1)) AND purpose = 'sweep'
  AND signed_id > (SELECT min(value) FROM json_each(?2))
  AND signed_id NOT IN (SELECT value FROM json_each(?2))`,
    [JSON.stringify(sweepIds), JSON.stringify(signedIds)],
  );
  return new Set(rows.map(({ sweep_id }) => Number(sweep_id)));
}

/** Of what was signed more often, the newest: only these may still be open. */
const SIGNED_MAX = 100;

async function signedFor(
  db: Db,
  column: "withdrawal_id" | "sweep_id",
  id: number,
): Promise<Paying[]> {
  const payments = await db.rows(
    SignedPayments,
    `WHERE ${column} = ? ORDER BY signed_id DESC, position DESC LIMIT ${SIGNED_MAX}`,
    [id],
  );
  const rows = await db.rows(
    SignedTransactions,
    "WHERE id IN (SELECT value FROM json_each(?))",
    [JSON.stringify(payments.map(({ signedId }) => signedId))],
  );
  const byId = new Map(rows.map((tx) => [tx.id, tx]));
  return payments.toReversed().flatMap((payment) => {
    const tx = byId.get(payment.signedId);
    return tx ? [{ tx, payment }] : [];
  });
}

/** Whether anything was ever signed for it, whatever happened to it. */
export async function wasSignedFor(db: Db, withdrawalId: number): Promise<boolean> {
  const rows = await db.rows(SignedPayments, "WHERE withdrawal_id = ? LIMIT 1", [withdrawalId]);
  return rows.length > 0;
}

/** The withdrawals that an empty transaction is trying to cancel. */
export async function revokedWithdrawals(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await db.query(
    `SELECT p.withdrawal_id
FROM signed_payments AS p
JOIN signed_transactions AS t ON t.id = p.signed_id
WHERE p.withdrawal_id IN (SELECT value FROM json_each(?)) AND p.purpose = 'void'
  AND t.state = 'open'`,
    [JSON.stringify(ids)],
  );
  return new Set(rows.map(({ withdrawal_id }) => Number(withdrawal_id)));
}

/** How often gas was sent for a sweep since an operator last dealt with its parking. */
export async function topUpsOfSweep(db: Db, sweepId: number): Promise<number> {
  const row = await queryOne(
    db,
    `SELECT count(DISTINCT t.place) AS count
FROM signed_payments AS p
JOIN signed_transactions AS t ON t.id = p.signed_id
WHERE p.sweep_id = ? AND p.purpose = 'gas_topup'
  AND t.created_at_ms > (
    SELECT coalesce(max(resolved_at_ms), 0)
    FROM alerts
    WHERE kind = 'sweep_parked' AND subject = ?)`,
    [sweepId, `sweep:${sweepId}`],
  );
  return Number(row.count);
}

/** How often gas was sent to an address after this transaction was signed. */
export async function topUpsSince(
  db: Db,
  { network, address, sinceId }: { network: string; address: string; sinceId: number },
): Promise<number> {
  const row = await queryOne(
    db,
    `SELECT count(DISTINCT t.place) AS count
FROM signed_payments AS p INDEXED BY signed_payments_gas
CROSS JOIN signed_transactions AS t ON t.id = p.signed_id
WHERE p.network = ? AND p.to_address = ? AND p.purpose = 'gas_topup' AND p.signed_id > ?`,
    [network, address, sinceId],
  );
  return Number(row.count);
}
