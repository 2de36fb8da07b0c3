import { Users } from "../access/tables/users.ts";
import { Accounts } from "../accounts/tables/accounts.ts";
import { present } from "../base/assert.ts";
import { first } from "../base/lists.ts";
import { recordAudit } from "../books/records.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { CannotPay } from "../domain/cannot_pay.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import type { NetworkRow } from "../networks/table.ts";
import { familyOf } from "../chains/registry.ts";
import { EnoughBids, outbidTransfer } from "../transfers/outbid.ts";
import { bidsFor } from "../transfers/reads/claims.ts";
import { openPaymentOfWithdrawal, withPayments } from "../transfers/reads/transfers.ts";
import { AlreadyMoved } from "../transfers/save_signed.ts";
import { sendTransfer } from "../transfers/send.ts";
import type { Paying, SignedPaymentRow } from "../transfers/table.ts";
import { type WithdrawalRow, Withdrawals } from "./table.ts";

interface Order {
  readonly id: number;
  readonly actor: Actor;
  /** Regardless of the number of bids; for an operator on the command line. */
  readonly isAnyway?: boolean;
}

export async function bumpWithdrawal(deps: Deps, order: Order): Promise<WithdrawalRow> {
  return await bid(deps, order, false);
}

/**
 * Sends a transaction in the same place that doesn't pay it, at a higher price. If it is mined
 * first, the withdrawal fails; otherwise the payment was made and stands.
 */
export async function revokeWithdrawal(deps: Deps, order: Order): Promise<WithdrawalRow> {
  return await bid(deps, order, true);
}

/** Whether a pending transfer can be outbid at all. */
export function isReplaceable(network: NetworkRow): boolean {
  return familyOf(network.family).canReplace;
}

async function bid(
  deps: Deps,
  { id, actor, isAnyway = false }: Order,
  isVoid: boolean,
): Promise<WithdrawalRow> {
  const { network, tx, payment } = await waiting(deps, { id, actor });
  const { transferLifetimeMs } = familyOf(network.family);
  if (transferLifetimeMs !== null) {
    const minutes = transferLifetimeMs / 60_000;
    throw refuse("withdrawal_expires", { network: network.code, minutes });
  }
  if (isVoid && payment.purpose === "void") {
    throw refuse("withdrawal_being_revoked", { id });
  }
  try {
    // Whoever pays for it decides when; and a payment can be cancelled only once, which may be
    // urgent.
    const isAtOnce = isVoid || await ownAccountOf(deps, actor) === undefined;
    const newest = first(await withPayments(deps.db, [tx]));
    const bidding = { network, newest, isAnyway, isAtOnce, actor };
    const revokes = ({ withdrawalId }: SignedPaymentRow) => withdrawalId === id;
    const { refusedBecause } = await outbidTransfer(
      deps,
      isVoid ? { ...bidding, revokes } : bidding,
    );
    if (refusedBecause !== null) {
      const isMerchant = await ownAccountOf(deps, actor) !== undefined;
      throw refuse("bid_refused", { id, why: isMerchant ? null : refusedBecause });
    }
  } catch (error) {
    if (error instanceof AlreadyMoved) throw refuse("withdrawal_moved", { id });
    if (error instanceof EnoughBids) throw error.refusal;
    if (!(error instanceof CannotPay)) throw error;
    const isMerchant = await ownAccountOf(deps, actor) !== undefined;
    const why = isMerchant ? error.messageForCaller : error.message;
    throw refuse("withdrawal_not_replaced", { id, why, cause: error });
  }
  return await deps.db.get(Withdrawals, [id]);
}

/** Sends the same bytes to every node at once. */
export async function resendWithdrawal(
  deps: Deps,
  { id, actor }: Order,
): Promise<{ row: WithdrawalRow; result: string }> {
  const { network, tx, row } = await waiting(deps, { id, actor });
  const result = await sendTransfer(deps, { chain: deps.chains.of(network), tx });
  await deps.db.write({
    reads: [],
    decide: (view) => {
      const nowMs = deps.clock.nowMs();
      const subject = `withdrawal:${id}`;
      recordAudit(view, { actor, action: "withdrawal.resent", subject, detail: { result }, nowMs });
    },
  });
  return { row, result };
}

/** Signed, and in no block yet. */
async function waiting(
  deps: Deps,
  { id, actor }: Order,
): Promise<Paying & { network: NetworkRow; row: WithdrawalRow }> {
  const row = await deps.db.find(Withdrawals, [id]);
  if (!row) throw refuse("withdrawal_unknown", { id });
  if (!await mayPush(deps, { actor, accountId: row.accountId })) {
    throw refuse("replacing_not_allowed");
  }
  const paying = await openPaymentOfWithdrawal(deps.db, id);
  if (row.status !== "broadcasted" || !paying) {
    throw refuse("withdrawal_not_under_way", { id, status: row.status });
  }
  const mined = (await bidsFor(deps.db, paying.tx)).find(({ blockHash }) => blockHash !== null);
  if (mined) throw refuse("withdrawal_mined", { id, height: mined.blockNumber });
  const catalog = await deps.catalog.current();
  const network = present(catalog.network(row.network), "A withdrawal's network exists");
  return { network, row, ...paying };
}

/** An account's own users need the operator's permission, because each bid can cost more. */
async function mayPush(
  { db }: Pick<Deps, "db">,
  { actor, accountId }: { actor: Actor; accountId: number },
): Promise<boolean> {
  const own = await ownAccountOf({ db }, actor);
  if (own === undefined) return true;
  const account = await db.find(Accounts, [accountId]);
  return own === accountId && account?.mayPush === true && db.isGenuine(Accounts, account);
}

/** Whose user or key it is; undefined: an operator's, or the program itself. */
async function ownAccountOf(
  { db }: Pick<Deps, "db">,
  actor: Actor,
): Promise<number | null | undefined> {
  if (typeof actor !== "string" && typeof actor.accountId === "number") return actor.accountId;
  const name = typeof actor === "string" ? actor : actor.name;
  const [, userId] = /^user:(\d+)$/.exec(name) ?? [];
  if (userId === undefined) return undefined;
  const user = await db.get(Users, [Number(userId)]);
  if (!db.isGenuine(Users, user)) return null;
  return user.role === "operator" ? undefined : user.accountId;
}
