import { present } from "../../base/assert.ts";
import { type Deadline, deadlineIn, noDeadline, OutOfTime } from "../../base/waiting/deadline.ts";
import type { BroadcastResult, PreparedTransfer } from "../../chains/transfer.ts";
import type { Chain } from "../../chains/chain.ts";
import { NodeError } from "../../chains/faults.ts";
import { familyOf } from "../../chains/registry.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import type { AddressRow } from "../../store/tables/addresses.ts";
import { type FreezeRow, Freezes } from "../../store/tables/ledger.ts";
import { Accounts, type CurrencyRow, type NetworkRow } from "../../store/tables/setup.ts";
import type { SignedTransferRow } from "../../store/tables/signed_transfers.ts";
import { type WithdrawalRow, Withdrawals } from "../../store/tables/withdrawals.ts";
import { neverSigned } from "../transfers/authorise.ts";
import { openTransferOfWithdrawal } from "../../store/reads/signed/transfers.ts";
import { hotWalletOf } from "../../store/reads/addresses.ts";
import { read } from "../../store/engine/workspace.ts";
import { preflightTransfer } from "../transfers/preflight.ts";
import type { WithdrawalStep } from "../books/move_withdrawal.ts";
import { recordRefused, recordRejected, recordSent } from "./record_broadcast.ts";
import { refuseFailing } from "./_failing_recipient.ts";
import { awaitGas } from "../transfers/await_gas.ts";
import { CannotPay, CannotPayYet, WalletHalted } from "../books/cannot_pay.ts";
import { whyRefused } from "./_why_refused.ts";
import { failingReads, type Hindrance, hindranceOf, noLongerFailing } from "./failing.ts";
import { AlreadyMoved } from "../transfers/save_signed.ts";
import { signTransfer } from "../transfers/sign.ts";
import { claimSending } from "../transfers/send.ts";
import { isSuspended, SigningPaused } from "../books/stopped.ts";
import type { Actor, Deps } from "../deps.ts";

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
  const deadline = options.budgetMs === undefined ? noDeadline : deadlineIn(options.budgetMs);
  try {
    const earlier = await earlierBytes(deps, withdrawal);
    const saved = earlier ?? await deadline.race(sign(deps, withdrawal));
    return await send(deps, { withdrawal, saved, isFirstSending: !earlier, options, deadline });
  } catch (error) {
    // Its money is held and it waits, so the caller is told that it is pending.
    if (error instanceof SigningPaused && options.budgetMs !== undefined) {
      return await current(deps, withdrawal);
    }
    const refusal = refusalOf(error, options);
    if (!refusal) throw error;
    // A waiting caller has only just requested it.
    if (options.budgetMs === undefined) await neverSigned(deps, withdrawal);
    deps.log.info("withdrawal refused", { withdrawal_id: withdrawal.id, error: wordsOf(error) });
    const { hindrance, reason, ...outcome } = refusal;
    const step = { ...outcome, actor: options.actor, nowMs: deps.clock.nowMs() };
    return await recordRefused(deps, { withdrawal, step, hindrance, reason });
  } finally {
    deadline.cancel();
  }
}

/** If the row has none, it may be an old version; then newly signed bytes can't be saved. */
async function earlierBytes(
  { db }: Deps,
  { id, transferId }: WithdrawalRow,
): Promise<SignedTransferRow | undefined> {
  return transferId === null ? undefined : await openTransferOfWithdrawal(db, id);
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

class NoHotWallet extends Error {}

type Refusal = Pick<WithdrawalStep, "trigger" | "errorMessage"> & {
  readonly hindrance?: Hindrance | undefined;
  /** For the operator, if the caller sees less. */
  readonly reason?: string;
};

/** Only if it is certain that nothing was signed. If a node couldn't be asked, a worker tries later. */
function refusalOf(error: unknown, options: BroadcastOptions): Refusal | undefined {
  const isCallerWaiting = options.budgetMs !== undefined;
  if (error instanceof NoHotWallet) {
    return { trigger: "no_hot_wallet", errorMessage: "No hot wallet configured for this network" };
  }
  // If books were put back, it may have been paid; nobody is waiting, so an operator decides.
  if (error instanceof CannotPayYet && !isCallerWaiting) return undefined;
  if (error instanceof CannotPay) {
    const hindrance = hindranceOf(error);
    const { message: reason } = error;
    const errorMessage = error instanceof WalletHalted ? error.messageForCaller : reason;
    return { trigger: "broadcast_rejected", errorMessage, hindrance, reason };
  }
  if (error instanceof OutOfTime || (error instanceof NodeError && isCallerWaiting)) {
    const errorMessage = "The node did not answer";
    return { trigger: "broadcast_rejected", errorMessage, hindrance: "node_silent" };
  }
  return undefined;
}

async function sign(deps: Deps, withdrawal: WithdrawalRow): Promise<SignedTransferRow | undefined> {
  const catalog = await deps.catalog.current();
  const network = present(catalog.network(withdrawal.network), "A withdrawal's network exists");
  const currency = present(
    catalog.currency(network.code, withdrawal.currency),
    "A withdrawal's currency exists",
  );
  const wallet = await hotWalletOf(deps.db, {
    accountId: withdrawal.accountId,
    network: network.code,
  });
  if (!wallet) throw new NoHotWallet();
  if (wallet.haltedReason !== null) throw new WalletHalted(wallet.haltedReason);
  const to = familyOf(network.family).canonicalAddress(withdrawal.toAddress);
  await refuseFailing(deps, { wallet, currency, address: to });
  const order = { network, wallet, withdrawal, currency, to };
  try {
    return await signFrom(deps, order);
  } catch (error) {
    if (error instanceof AlreadyMoved) return undefined;
    const isShort = error instanceof CannotPay && error.lacksCoins;
    if (!isShort || !await awaitGas(deps, order)) throw error;
    return await signFrom(deps, order);
  }
}

async function signFrom(deps: Deps, order: Order): Promise<SignedTransferRow> {
  const { network, wallet, withdrawal } = order;
  const chain = deps.chains.of(network);
  return await signTransfer(deps, {
    network,
    wallet,
    chain,
    prepared: await prepare(deps, { ...order, chain }),
    purpose: "withdrawal",
    withdrawalId: withdrawal.id,
    reads: [
      read(Withdrawals, [withdrawal.id]),
      read(Accounts, [withdrawal.accountId]),
      read(Freezes, freezeKey(withdrawal)),
      ...failingReads(withdrawal),
    ],
    claim: (view, { id: transferId }) => {
      const row = view.get(Withdrawals, [withdrawal.id]);
      if (row.status !== "pending" || row.transferId !== null) throw new AlreadyMoved();
      if (isSuspended(view, row.accountId)) throw new SigningPaused("The account is suspended");
      // The books were found wrong after it was accepted.
      const freeze = view.find(Freezes, freezeKey(row));
      if (freeze) throw pausedBy(freeze);
      view.update(Withdrawals, row, { transferId });
      noLongerFailing(view, { withdrawal, nowMs: deps.clock.nowMs() });
    },
  });
}

/** If rows may be forged, it waits for an operator together with them. */
function pausedBy({ code }: FreezeRow): CannotPay {
  const Kind = code === "tampered" ? CannotPayYet : CannotPay;
  return new Kind("Withdrawals are paused");
}

function freezeKey({ accountId, network, currency }: WithdrawalRow) {
  return [accountId, network, currency];
}

interface Order {
  readonly network: NetworkRow;
  readonly wallet: AddressRow;
  readonly withdrawal: WithdrawalRow;
  readonly currency: CurrencyRow;
  readonly to: string;
}

async function prepare(
  deps: Deps,
  { chain, ...order }: Order & { chain: Chain },
): Promise<PreparedTransfer> {
  const { network, wallet, withdrawal, currency, to } = order;
  const request = {
    from: wallet.address,
    to,
    contract: currency.contractAddress,
    amountRaw: Amount.parse(withdrawal.amount, assetOf(withdrawal)).toRaw(currency.decimals),
    asToNewHolder: true,
  };
  const preflight = await preflightTransfer(deps, { network, chain, request });
  if (preflight.kind === "refused") throw await whyRefused(chain, { ...order, preflight });
  return preflight.prepared;
}

interface Sending {
  readonly withdrawal: WithdrawalRow;
  /** Undefined: somebody else took it on before it was signed. */
  readonly saved: SignedTransferRow | undefined;
  /** False: a node may have seen the bytes before, so a refusal now proves nothing. */
  readonly isFirstSending: boolean;
  readonly options: BroadcastOptions;
  readonly deadline: Deadline;
}

async function send(
  deps: Deps,
  { withdrawal, saved, isFirstSending, options, deadline }: Sending,
): Promise<WithdrawalRow> {
  if (!saved) return await current(deps, withdrawal);
  if (!isFirstSending && !await claimSending(deps, saved)) return await current(deps, withdrawal);
  const catalog = await deps.catalog.current();
  const chain = deps.chains.of(present(catalog.network(withdrawal.network), "Its network exists"));
  const result = await sendWithin(chain, saved, deadline);
  const nowMs = deps.clock.nowMs();
  const { actor } = options;
  if (result.kind === "accepted" || result.kind === "unknown" || !isFirstSending) {
    return await recordSent(deps, { withdrawal, saved, step: { trigger: "sent", actor, nowMs } });
  }
  const step = {
    trigger: "broadcast_rejected",
    actor,
    nowMs,
    errorMessage: result.reason,
  } as const;
  const hindrance = result.kind === "unreachable" ? "node_silent" : undefined;
  return await recordRejected(deps, { withdrawal, saved, step, hindrance });
}

/** The bytes are being sent: a timeout or an error leaves the result unknown. */
async function sendWithin(
  chain: Chain,
  saved: SignedTransferRow,
  deadline: Deadline,
): Promise<BroadcastResult> {
  try {
    return await deadline.race(chain.broadcast(saved.raw));
  } catch (error) {
    if (!(error instanceof OutOfTime || error instanceof NodeError)) throw error;
    return { kind: "unknown", reason: error.message };
  }
}

async function current(deps: Deps, withdrawal: WithdrawalRow): Promise<WithdrawalRow> {
  return await deps.db.get(Withdrawals, [withdrawal.id]);
}
