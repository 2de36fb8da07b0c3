import type { BroadcastResult } from "../chains/transfer.ts";
import { present } from "../base/assert.ts";
import { type Deadline, deadlineIn, noDeadline, OutOfTime } from "../base/waiting/deadline.ts";
import { NodeError } from "../chains/faults.ts";
import type { Paying } from "../transfers/table.ts";
import { type WithdrawalRow, Withdrawals } from "./table.ts";
import { neverSigned } from "../transfers/authorise.ts";
import { openPaymentOfWithdrawal } from "../transfers/reads/transfers.ts";
import type { WithdrawalStep } from "../books/move_withdrawal.ts";
import { recordRefused, recordRejected, recordSent } from "./record_broadcast.ts";
import { CannotPay, CannotPayYet } from "../domain/cannot_pay.ts";
import { causeOf, type FixableCause } from "./failing.ts";
import { broadcastInFamily, claimSending } from "../transfers/send.ts";
import { NotSignedYet } from "../books/stopped.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { type JustPaying, NoHotWallet, signPayout } from "./_sign_payout.ts";

interface BroadcastOptions {
  readonly actor: Actor;
  /** The caller waits: after this time, the answer is what is known by then. */
  readonly budgetMs?: number;
}

/**
 * Signs, saves, then sends a pending withdrawal. Called again after a crash, it sends the same
 * bytes. Returns the row once there is a result or the time is up.
 */
export async function broadcastWithdrawal(
  deps: Deps,
  withdrawal: WithdrawalRow,
  options: BroadcastOptions,
): Promise<WithdrawalRow> {
  const { actor, budgetMs } = options;
  const isCallerWaiting = budgetMs !== undefined;
  const deadline = isCallerWaiting ? deadlineIn(budgetMs) : noDeadline;
  try {
    const earlier = await earlierBytes(deps, withdrawal);
    const saved: JustPaying | undefined = earlier ??
      await deadline.race(signPayout(deps, withdrawal));
    return await send(deps, { withdrawal, saved, isFirstSending: !earlier, actor, deadline });
  } catch (error) {
    // Its money stays held, and it is paid once signing continues: the answer is `pending`.
    if (error instanceof NotSignedYet && isCallerWaiting) return await current(deps, withdrawal);
    const refusal = refusalOf(error, isCallerWaiting);
    if (!refusal) throw error;
    // Nobody is waiting, so it may be an old request in books that were put back.
    if (!isCallerWaiting) await neverSigned(deps, withdrawal);
    deps.log.info("withdrawal refused", { withdrawal_id: withdrawal.id, error: wordsOf(error) });
    const { cause, reason, ...outcome } = refusal;
    const step = { ...outcome, actor, nowMs: deps.clock.nowMs() };
    return await recordRefused(deps, { withdrawal, step, cause, reason });
  } finally {
    deadline.cancel();
  }
}

/** If the row has none, it may be an old version; then newly signed bytes can't be saved. */
async function earlierBytes(
  { db }: Deps,
  { id, transferId }: WithdrawalRow,
): Promise<Paying | undefined> {
  return transferId === null ? undefined : await openPaymentOfWithdrawal(db, id);
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

type Refusal = Pick<WithdrawalStep, "trigger" | "errorMessage"> & {
  readonly cause?: FixableCause | undefined;
  /** For the operator, if the caller sees less. */
  readonly reason?: string;
};

/** Only if it is certain that nothing was signed. If a node couldn't be asked, a worker tries later. */
function refusalOf(error: unknown, isCallerWaiting: boolean): Refusal | undefined {
  if (error instanceof NoHotWallet) {
    return { trigger: "no_hot_wallet", errorMessage: "No hot wallet configured for this network" };
  }
  // If books were put back, it may have been paid; nobody is waiting, so an operator decides.
  if (error instanceof CannotPayYet && !isCallerWaiting) return undefined;
  if (error instanceof CannotPay) {
    const cause = causeOf(error);
    const { messageForCaller: errorMessage, messageForOperator: reason } = error;
    return { trigger: "broadcast_rejected", errorMessage, cause, reason };
  }
  if (error instanceof OutOfTime || (error instanceof NodeError && isCallerWaiting)) {
    const errorMessage = "The node did not answer";
    return { trigger: "broadcast_rejected", errorMessage, cause: "node_silent" };
  }
  return undefined;
}

interface Sending {
  readonly withdrawal: WithdrawalRow;
  /** Undefined: somebody else took it on before it was signed. */
  readonly saved: JustPaying | undefined;
  /** False: a node may have seen the bytes before, so a refusal now proves nothing. */
  readonly isFirstSending: boolean;
  readonly actor: Actor;
  readonly deadline: Deadline;
}

async function send(
  deps: Deps,
  { withdrawal, saved, isFirstSending, actor, deadline }: Sending,
): Promise<WithdrawalRow> {
  if (!saved) return await current(deps, withdrawal);
  if (!isFirstSending && !await claimSending(deps, saved.tx)) {
    return await current(deps, withdrawal);
  }
  const catalog = await deps.catalog.current();
  const network = present(catalog.network(withdrawal.network), "Its network exists");
  const order = { network, chain: deps.chains.of(network), tx: saved.tx };
  const { sendOnce = () => broadcastInFamily(deps, order) } = saved;
  const result = await sendWithin(sendOnce, deadline);
  const by = { actor, nowMs: deps.clock.nowMs() };
  if (result.kind === "accepted" || result.kind === "unknown" || !isFirstSending) {
    return await recordSent(deps, { withdrawal, saved, step: { ...by, trigger: "sent" } });
  }
  const { reason: errorMessage } = result;
  const step = { ...by, trigger: "broadcast_rejected", errorMessage } as const;
  const cause = result.kind === "unreachable" ? "node_silent" : undefined;
  return await recordRejected(deps, { withdrawal, saved, step, cause });
}

/** The bytes are being sent: a timeout or an error leaves the result unknown. */
async function sendWithin(
  send: () => Promise<BroadcastResult>,
  deadline: Deadline,
): Promise<BroadcastResult> {
  try {
    return await deadline.race(send());
  } catch (error) {
    if (!(error instanceof OutOfTime || error instanceof NodeError)) throw error;
    return { kind: "unknown", reason: error.message };
  }
}

async function current(deps: Deps, withdrawal: WithdrawalRow): Promise<WithdrawalRow> {
  return await deps.db.get(Withdrawals, [withdrawal.id]);
}
