import { orNull } from "../../connection/connection.ts";
import { type Db, queryOne } from "../../engine/db.ts";
import { type ApprovalRequestRow, ApprovalRequests } from "../../tables/control/approvals.ts";
import { type ProposalRow, Proposals } from "../../tables/control/proposals.ts";
import { type WithdrawalRow, Withdrawals } from "../../tables/withdrawals.ts";

interface Wanted {
  /** Null: of all. */
  readonly accountId: number | null;
  readonly nowMs: number;
  readonly limit: number;
}

const OF_ACCOUNT = "WHERE open = 1 AND account_id = ? AND expires_at_ms > ?";
const OF_ALL = "WHERE open = 1 AND expires_at_ms > ?";
const SOONEST = "ORDER BY expires_at_ms LIMIT ?";

/** Payouts that wait for approvals, the first to expire first. */
export function requestsWaiting(db: Db, wanted: Wanted): Promise<ApprovalRequestRow[]> {
  const { accountId, nowMs, limit } = wanted;
  return accountId === null
    ? db.rows(ApprovalRequests, `INDEXED BY approval_requests_open ${OF_ALL} ${SOONEST}`, [
      nowMs,
      limit,
    ])
    : db.rows(
      ApprovalRequests,
      `INDEXED BY approval_requests_account ${OF_ACCOUNT} ${SOONEST}`,
      [accountId, nowMs, limit],
    );
}

export function proposalsWaiting(db: Db, wanted: Wanted): Promise<ProposalRow[]> {
  const { accountId, nowMs, limit } = wanted;
  return accountId === null
    ? db.rows(Proposals, `INDEXED BY proposals_open ${OF_ALL} ${SOONEST}`, [nowMs, limit])
    : db.rows(Proposals, `INDEXED BY proposals_waiting ${OF_ACCOUNT} ${SOONEST}`, [
      accountId,
      nowMs,
      limit,
    ]);
}

const LOOKED_AT = 1_000;

/**
 * Of the account's newest payouts before this one, those that were paid, in the same currency since
 * a moment. What only waits says nothing: whoever asks could ask often.
 */
export function payoutsBefore(
  db: Db,
  { id, accountId, network, currency }: Pick<
    WithdrawalRow,
    "id" | "accountId" | "network" | "currency"
  >,
  sinceMs: number,
): Promise<WithdrawalRow[]> {
  return db.rows(
    Withdrawals,
    `WHERE id IN (
  SELECT id FROM withdrawals INDEXED BY withdrawals_account
  WHERE account_id = ? AND id < ? ORDER BY id DESC LIMIT ${LOOKED_AT})
  AND network = ? AND currency = ? AND requested_at_ms >= ?
  AND status IN ('broadcasted', 'confirmed')
ORDER BY id DESC`,
    [accountId, id, network, currency, sinceMs],
  );
}

export interface PaidBefore {
  readonly count: number;
  /** There may be more. */
  readonly isCut: boolean;
  readonly firstAtMs: number | null;
  readonly lastId: number | null;
}

type Place = Pick<WithdrawalRow, "id" | "accountId" | "network" | "toAddress">;

const PAID_BEFORE =
  `SELECT COUNT(*) AS count, MIN(requested_at_ms) AS first_at_ms, MAX(id) AS last_id
FROM (
  SELECT id, requested_at_ms FROM withdrawals INDEXED BY withdrawals_recipient
  WHERE account_id = ? AND lower(to_address) = ? AND id < ? AND network = ?
    AND status NOT IN ('pending', 'broadcasted') AND status = 'confirmed'
  ORDER BY id DESC LIMIT ${LOOKED_AT})`;

/** What the account has paid to this recipient, in any currency of the network and at any time. */
export async function paidBefore(
  db: Db,
  { id, accountId, network, toAddress }: Place,
): Promise<PaidBefore> {
  const args = [accountId, toAddress.toLowerCase(), id, network];
  const row = await queryOne(db, PAID_BEFORE, args);
  const count = Number(row.count);
  return {
    count,
    isCut: count === LOOKED_AT,
    firstAtMs: orNull(row.first_at_ms, Number),
    lastId: orNull(row.last_id, Number),
  };
}
