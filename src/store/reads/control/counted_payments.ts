import { orNull, type SqlRow } from "../../connection/connection.ts";
import type { Db } from "../../engine/db.ts";

/** A payment as a meter counts it. */
export interface CountedPayment {
  readonly id: number;
  readonly accountId: number;
  readonly keyId: string;
  readonly network: string;
  readonly currency: string;
  readonly toAddress: string;
  readonly amount: string;
  readonly countedAtMs: number;
  readonly policyValues: Readonly<Record<string, string>> | null;
  readonly requestedAtMs: number;
  /** Failed or cancelled. */
  readonly isUnpaid: boolean;
}

/** What was known at one moment: later rows are counted as they come. */
export interface AsOf {
  readonly withdrawalId: number;
  readonly approvalId: number;
  /** Payments released up to here don't count. */
  readonly releaseId: number;
}

const COUNTED = `SELECT w.id, w.account_id, w.key_id, w.network, w.currency, w.to_address, w.amount,
  w.policy_values, w.requested_at_ms, w.status,
  max(w.requested_at_ms, coalesce((
    SELECT max(a.approved_at_ms)
    FROM approvals AS a
    WHERE a.withdrawal_id = w.id AND a.id <= ?), 0)) AS counted_at_ms
FROM withdrawals AS w`;
const UNRELEASED = `NOT EXISTS (
    SELECT 1
    FROM ledger_entries AS e
    WHERE e.withdrawal_id = w.id AND e.kind = 'release' AND e.id <= ?)`;

/** Requested with these ids, newest first. */
export async function countedPayments(
  db: Db,
  { from, below, limit }: { from: number; below: number; limit: number },
  asOf: AsOf,
): Promise<CountedPayment[]> {
  const rows = await db.query(
    `${COUNTED}
WHERE w.id >= ? AND w.id < ? AND ${UNRELEASED}
ORDER BY w.id DESC
LIMIT ?`,
    [asOf.approvalId, from, Math.min(below, asOf.withdrawalId + 1), asOf.releaseId, limit],
  );
  return rows.map(countedOf);
}

/** The newest of an account, or of all. */
export async function newestPayments(
  db: Db,
  { accountId, limit }: { accountId: number | null; limit: number },
): Promise<CountedPayment[]> {
  const owner = accountId === null ? "w.id > 0" : "w.account_id = ?";
  const owners = accountId === null ? [] : [accountId];
  const rows = await db.query(
    `${COUNTED}
WHERE ${owner}
ORDER BY w.id DESC
LIMIT ?`,
    [Number.MAX_SAFE_INTEGER, ...owners, limit],
  );
  return rows.map(countedOf);
}

/** Those that were approved after a moment, whenever they were requested. */
export async function approvedPayments(
  db: Db,
  { afterMs }: { afterMs: number },
  asOf: AsOf,
): Promise<CountedPayment[]> {
  const rows = await db.query(
    `${COUNTED}
WHERE w.id IN (
    SELECT withdrawal_id
    FROM approvals INDEXED BY approvals_time
    WHERE approved_at_ms > ? AND id <= ?)
  AND w.id <= ? AND ${UNRELEASED}`,
    [asOf.approvalId, afterMs, asOf.approvalId, asOf.withdrawalId, asOf.releaseId],
  );
  return rows.map(countedOf);
}

function countedOf(row: SqlRow): CountedPayment {
  return {
    id: Number(row.id),
    accountId: Number(row.account_id),
    keyId: String(row.key_id),
    network: String(row.network),
    currency: String(row.currency),
    toAddress: String(row.to_address),
    amount: String(row.amount),
    countedAtMs: Number(row.counted_at_ms),
    requestedAtMs: Number(row.requested_at_ms),
    isUnpaid: row.status === "failed" || row.status === "cancelled",
    policyValues: orNull(row.policy_values, (values) => JSON.parse(String(values))),
  };
}
