import { isUnpaid } from "../../withdrawals/rules/moves.ts";
import { orNull, type SqlRow } from "../../store/connection/connection.ts";
import type { Db } from "../../store/engine/db.ts";

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

/** Null: of all accounts. */
interface Owned {
  readonly accountId: number | null;
}

/** Not another lower bound on the id: SQLite uses one only. */
function ofOwner({ accountId }: Owned): { owner: string; owners: number[] } {
  return accountId === null
    ? { owner: "true", owners: [] }
    : { owner: "w.account_id = ?", owners: [accountId] };
}

/** Requested with these ids, newest first. */
export async function countedPayments(
  db: Db,
  { from, below, limit, ...asked }: Owned & { from: number; below: number; limit: number },
  asOf: AsOf,
): Promise<CountedPayment[]> {
  const { owner, owners } = ofOwner(asked);
  const ids = [from, Math.min(below, asOf.withdrawalId + 1)];
  const rows = await db.query(
    `${COUNTED}
WHERE ${owner} AND w.id >= ? AND w.id < ? AND ${UNRELEASED}
ORDER BY w.id DESC
LIMIT ?`,
    [asOf.approvalId, ...owners, ...ids, asOf.releaseId, limit],
  );
  return rows.map(countedOf);
}

export async function newestPayments(
  db: Db,
  { limit, accountId }: Owned & { limit: number },
): Promise<CountedPayment[]> {
  const { owner, owners } = accountId === null
    ? { owner: "w.id > 0", owners: [] }
    : ofOwner({ accountId });
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
  { afterMs, ...asked }: Owned & { afterMs: number },
  asOf: AsOf,
): Promise<CountedPayment[]> {
  const { owner, owners } = ofOwner(asked);
  const rows = await db.query(
    `${COUNTED}
WHERE w.id IN (
    SELECT withdrawal_id
    FROM approvals INDEXED BY approvals_time
    WHERE approved_at_ms > ? AND id <= ?)
  AND ${owner} AND w.id <= ? AND ${UNRELEASED}`,
    [asOf.approvalId, afterMs, asOf.approvalId, ...owners, asOf.withdrawalId, asOf.releaseId],
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
    isUnpaid: isUnpaid(String(row.status)),
    policyValues: orNull(row.policy_values, (values) => JSON.parse(String(values))),
  };
}
