import { orNull } from "../../store/connection/connection.ts";
import { type Db, queryOne } from "../../store/engine/db.ts";
import { type ApprovalRequestRow, ApprovalRequests } from "../table.ts";
import { type ProposalRow, Proposals } from "../../proposals/table.ts";
import type { AnyRow, Table } from "../../store/tables/table.ts";
import { ENDED, type WithdrawalRow, Withdrawals } from "../../withdrawals/table.ts";

interface Wanted {
  /** Null: of all. */
  readonly accountId: number | null;
  readonly nowMs: number;
  /** Of all: how many of the first to expire there are at least. */
  readonly limit: number;
}

const SOONEST = "expires_at_ms > ? ORDER BY expires_at_ms LIMIT ?";

/**
 * Payouts that wait for approvals, the first to expire first. Of all: besides them the first few of
 * each account, so that nobody's many hide another's.
 */
export function requestsWaiting(db: Db, wanted: Wanted): Promise<ApprovalRequestRow[]> {
  return waitingIn(db, ApprovalRequests, {
    ...{ all: "approval_requests_open", own: "approval_requests_account", wanted },
  });
}

export function proposalsWaiting(db: Db, wanted: Wanted): Promise<ProposalRow[]> {
  return waitingIn(db, Proposals, { all: "proposals_open", own: "proposals_waiting", wanted });
}

interface Waiting {
  /** An index of all accounts, and one that begins with the account. */
  readonly all: string;
  readonly own: string;
  readonly wanted: Wanted;
}

function waitingIn<Row extends AnyRow>(
  db: Db,
  table: Table<Row>,
  { all, own, wanted: { accountId, nowMs, limit } }: Waiting,
): Promise<Row[]> {
  if (accountId !== null) {
    return db.rows(
      table,
      `INDEXED BY ${own} WHERE open = 1 AND account_id = ? AND ${SOONEST}`,
      [accountId, nowMs, limit],
    );
  }
  const next = `SELECT min(account_id) FROM ${table.name} INDEXED BY ${own} WHERE open = 1`;
  return db.rows(
    table,
    `WHERE rowid IN (
  SELECT * FROM (
    SELECT rowid FROM ${table.name} INDEXED BY ${all} WHERE open = 1 AND ${SOONEST})
  UNION ALL
  SELECT * FROM (
    WITH RECURSIVE owners (id) AS (
      SELECT ${NO_ACCOUNT}
      UNION ALL
      SELECT (${next} AND account_id > o.id) FROM owners AS o WHERE o.id IS NOT NULL
      LIMIT ${ACCOUNTS_MAX}
    )
    SELECT e.rowid
    FROM owners AS o CROSS JOIN ${table.name} AS e
    WHERE o.id IS NOT NULL AND e.rowid IN (
      SELECT rowid FROM ${table.name} INDEXED BY ${own}
      WHERE open = 1 AND account_id IS nullif(o.id, ${NO_ACCOUNT}) AND ${SOONEST})
  )
)
ORDER BY expires_at_ms`,
    [nowMs, limit, nowMs, OF_EACH],
  );
}

/** Each has its turn; there are as many as are shown. */
const ACCOUNTS_MAX = 50;
const OF_EACH = 5;
/** Stands for what concerns the whole installation. */
const NO_ACCOUNT = 0;

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
    AND ${ENDED} AND status = 'confirmed'
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
