import { first, zip } from "../../base/lists.ts";
import { present } from "../../base/assert.ts";
import { depositsOfSweep } from "../../store/reads/sweeps.ts";
import type { NetworkRow } from "../../store/tables/setup.ts";
import type { SignedTransferRow } from "../../store/tables/signed_transfers.ts";
import { type TransactionRow, Transactions } from "../../store/tables/transactions.ts";
import { type WithdrawalRow, Withdrawals } from "../../store/tables/withdrawals.ts";
import { Addresses } from "../../store/tables/addresses.ts";
import { Sweeps } from "../../store/tables/sweeps.ts";
import { type Read, read, readAll, type View } from "../../store/engine/workspace.ts";
import { alertRead, closeAlert, insertAlert, type NewAlert } from "../books/alerts.ts";
import { hasMovedNothing, isShort } from "../books/arrival.ts";
import { moveOutgoing } from "../books/move_transaction.ts";
import { moveSweep, undoSweep } from "../books/move_sweep.ts";
import { moveWithdrawal } from "../books/move_withdrawal.ts";
import { bidColumns } from "../books/transaction_rows.ts";
import { balanceRead } from "../books/records.ts";
import type { Deps } from "../deps.ts";

/** Whatever the bids for one nonce were signed for. */
export interface Owners {
  readonly withdrawalIds: readonly number[];
  readonly reads: readonly Read[];
  readonly depositsOf: ReadonlyMap<number, readonly TransactionRow[]>;
}

export async function loadOwners(
  deps: Deps,
  { network, bids }: { network: NetworkRow; bids: readonly SignedTransferRow[] },
): Promise<Owners> {
  const withdrawalIds = idsOf(bids, (row) => row.withdrawalId);
  const sweepIds = idsOf(bids, (row) => row.sweepId);
  const transactionIds = idsOf(bids, (row) => row.transactionId);
  const withdrawals = await Promise.all(withdrawalIds.map((id) => deps.db.get(Withdrawals, [id])));
  const deposits = await Promise.all(sweepIds.map((id) => depositsOfSweep(deps.db, id)));
  return {
    withdrawalIds,
    depositsOf: new Map(zip(sweepIds, deposits)),
    reads: [
      ...readAll(Transactions, transactionIds.map((id) => [id])),
      ...readAll(Sweeps, sweepIds.map((id) => [id])),
      ...readAll(Transactions, deposits.flat().map(({ id }) => [id])),
      ...withdrawals.flatMap(withdrawalReads),
      ...sweepIds.flatMap((id) => [
        alertRead("sweep_parked", `sweep:${id}`),
        alertRead("sweep_short", `sweep:${id}`),
      ]),
      read(Addresses, [network.code, first(bids).sender], "address"),
    ],
  };
}

function withdrawalReads(row: WithdrawalRow): Read[] {
  return [
    read(Withdrawals, [row.id]),
    balanceRead(row),
    alertRead("withdrawal_dropped", `withdrawal:${row.id}`),
    alertRead("withdrawal_unpaid", `withdrawal:${row.id}`),
  ];
}

interface Verdict {
  readonly network: NetworkRow;
  readonly winner: SignedTransferRow;
  readonly losers: readonly SignedTransferRow[];
  readonly owners: Owners;
  readonly nowMs: number;
}

/** The mined bid's owner is paid or fails as a whole; owners that lost the nonce are dropped. */
export function settleOwners(view: View, verdict: Verdict): void {
  const { winner, losers } = verdict;
  settleOwner(view, { ...verdict, bid: winner });
  for (const loser of losers) {
    const isSame = loser.withdrawalId === winner.withdrawalId &&
      loser.sweepId === winner.sweepId && winner.purpose !== "foreign";
    if (!isSame) settleOwner(view, { ...verdict, bid: loser });
  }
}

/** An expired transfer was never mined and never will be, as if it had not been signed. */
export function releaseOwners(
  view: View,
  { bid, owners, nowMs }: Pick<Bid, "bid" | "owners" | "nowMs">,
): void {
  const row = bid.transactionId === null ? undefined : view.find(Transactions, [bid.transactionId]);
  if (row) moveOutgoing(view, { row, trigger: "failed", nowMs });
  if (bid.withdrawalId !== null) {
    const errorMessage = "The transaction expired before any block took it";
    const step = { trigger: "expired", actor: "worker", nowMs, errorMessage } as const;
    moveWithdrawal(view, { id: bid.withdrawalId, step });
  }
  if (bid.sweepId !== null) {
    const trigger = bid.purpose === "gas_topup" ? "gas_lost" : "dropped";
    moveSweep(view, { id: bid.sweepId, trigger, deposits: sweptIn(view, bid, owners), nowMs });
  }
}

function sweptIn(view: View, { sweepId }: SignedTransferRow, { depositsOf }: Owners) {
  const deposits = (sweepId === null ? undefined : depositsOf.get(sweepId)) ?? [];
  return deposits.map(({ id }) => view.get(Transactions, [id]));
}

interface Bid extends Verdict {
  readonly bid: SignedTransferRow;
}

function settleOwner(view: View, settling: Bid): void {
  const { bid, winner, nowMs } = settling;
  const isDone = bid === winner && winner.isSuccessful === true &&
    winner.purpose !== "void" && winner.purpose !== "foreign";
  const isPaid = isDone && !hasMovedNothing(winner);
  if (isDone && !isPaid && isUndecided(view, bid)) return alertUndecided(view, settling);
  const row = bid.transactionId === null ? undefined : view.find(Transactions, [bid.transactionId]);
  const wasPaid = row?.status === "confirmed" && !isPaid;
  if (row) {
    const tx = isPaid ? view.update(Transactions, row, bidColumns(winner, settling.network)) : row;
    moveOutgoing(view, { row: tx, trigger: isPaid ? "confirmed" : "failed", nowMs });
  }
  if (bid.withdrawalId !== null) settleWithdrawal(view, { ...settling, isPaid });
  if (bid.sweepId !== null) {
    settleSweep(view, { ...settling, isPaid, wasPaid, sweepId: bid.sweepId });
  }
}

/** Only an operator can tell whether it is paid, so it is neither debited nor released automatically. */
function isUndecided(view: View, { withdrawalId }: SignedTransferRow): boolean {
  if (withdrawalId === null) return false;
  return view.get(Withdrawals, [withdrawalId]).status === "broadcasted";
}

function alertUndecided(view: View, { bid, nowMs }: Bid): void {
  insertAlert(view, {
    kind: "withdrawal_unpaid",
    subject: `withdrawal:${bid.withdrawalId}`,
    message: `${bid.txHash} on ${bid.network} was mined, but its token logged no payment to ` +
      bid.toAddress,
    advice: { code: "settle_withdrawal", withdrawalId: bid.withdrawalId! },
    nowMs,
  });
}

function settleWithdrawal(view: View, { bid, winner, isPaid, nowMs }: Bid & { isPaid: boolean }) {
  const id = present(bid.withdrawalId, "The bid is a withdrawal's");
  const isReverted = bid === winner && winner.purpose === "withdrawal";
  const trigger = isPaid ? "confirmed" : isReverted ? "reverted" : "dropped";
  const errorMessage = trigger === "reverted"
    ? "The transaction was mined and reverted"
    : winner.purpose === "void"
    ? "An empty transaction took its place"
    : "Another transaction of the hot wallet took its nonce";
  const { status } = view.get(Withdrawals, [id]);
  const moved = moveWithdrawal(view, {
    id,
    step: {
      trigger,
      actor: "worker",
      nowMs,
      errorMessage,
      // A later bid, which lost, may be the one shown.
      ...(isPaid || isReverted ? { txHash: winner.txHash } : {}),
    },
  });
  const ended = moved ? undefined : status;
  if (moved) closeAlert(view, { kind: "withdrawal_unpaid", subject: `withdrawal:${id}`, nowMs });
  const alert = alertFor({ bid, winner, isPaid, ended });
  if (alert) insertAlert(view, { ...alert, nowMs });
}

interface Ending extends Pick<Bid, "bid" | "winner"> {
  readonly isPaid: boolean;
  /** Its final status, if it had already ended; undefined: it ends now. */
  readonly ended: WithdrawalRow["status"] | undefined;
}

function alertFor(ending: Ending): NewAlert | undefined {
  const { bid, winner, isPaid, ended } = ending;
  const subject = `withdrawal:${bid.withdrawalId}`;
  const what = `${bid.txHash} on ${bid.network}`;
  if (!ended && !isPaid && winner.purpose !== "void" && bid !== winner) {
    return {
      kind: "withdrawal_dropped",
      subject,
      message: `${what} lost its nonce ${bid.nonce} to another transaction`,
    };
  }
  if (bid !== winner || winner.purpose !== "withdrawal") return undefined;
  const fault = faultOf(ending);
  if (fault === undefined) return undefined;
  return { kind: "withdrawal_unpaid", subject, message: `${what} ${fault}` };
}

/** What had ended before the chain changed is not booked again automatically. */
function faultOf({ winner, isPaid, ended }: Ending): string | undefined {
  if (isPaid && ended !== undefined && ended !== "confirmed") {
    return `paid a withdrawal that had ${ended} before: it is not debited`;
  }
  if (!isPaid && ended === "confirmed") {
    return "moved nothing after its withdrawal had confirmed: it is debited and not paid";
  }
  return isPaid && !ended ? shortfallOf(winner) : undefined;
}

function shortfallOf(winner: SignedTransferRow): string | undefined {
  if (!isShort(winner)) return undefined;
  const { arrivedRaw, amountRaw, toAddress } = winner;
  return `brought ${toAddress} only ${arrivedRaw} of ${amountRaw} base units: its token keeps a part`;
}

function settleSweep(
  view: View,
  { bid, winner, isPaid, wasPaid, sweepId, owners, nowMs }: Bid & {
    isPaid: boolean;
    /** It had been mined for good before, on a branch that then lost. */
    wasPaid: boolean;
    sweepId: number;
  },
): void {
  const deposits = sweptIn(view, bid, owners);
  if (wasPaid && bid.purpose === "sweep") {
    const row = view.get(Transactions, [present(bid.transactionId, "It has a row")]);
    moveOutgoing(view, { row, trigger: "undone", nowMs });
    return undoSweep(view, { deposits, nowMs });
  }
  const isReverted = bid === winner && !isPaid && winner.purpose !== "void";
  const isGas = bid.purpose === "gas_topup";
  const trigger = isReverted
    ? "parked"
    : isPaid
    ? isGas ? "gas_arrived" : "mined"
    : isGas
    ? "gas_lost"
    : "dropped";
  const fault = winner.isSuccessful ? "moved nothing" : "reverted";
  const reason = `${bid.txHash} was mined and ${fault}`;
  const why = isReverted ? { code: "failed_on_chain", reason } as const : undefined;
  moveSweep(view, { id: sweepId, trigger, deposits, why, nowMs });
  const shortfall = isPaid ? shortfallOf(winner) : undefined;
  if (shortfall === undefined) return;
  const message = `${bid.txHash} on ${bid.network} ${shortfall}`;
  insertAlert(view, { kind: "sweep_short", subject: `sweep:${sweepId}`, message, nowMs });
}

function idsOf(
  bids: readonly SignedTransferRow[],
  idOf: (row: SignedTransferRow) => number | null,
): number[] {
  return [...new Set(bids.map(idOf).filter((id) => id !== null))];
}
