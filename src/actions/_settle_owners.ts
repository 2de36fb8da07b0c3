import { present } from "../base/assert.ts";
import { depositsOfSweep } from "../store/sweep_reads.ts";
import type {
  NetworkRow,
  SignedTransferRow,
  TransactionRow,
  WithdrawalRow,
} from "../store/rows.ts";
import { Addresses, Sweeps, Transactions, Withdrawals } from "../store/tables.ts";
import { type Read, read, readAll, type View } from "../store/workspace.ts";
import { alertRead, insertAlert, type NewAlert } from "./_alerts.ts";
import { moveOutgoing } from "./_move_transaction.ts";
import { moveSweep, undoSweep } from "./_move_sweep.ts";
import { moveWithdrawal } from "./_move_withdrawal.ts";
import { toldOf } from "./_outgoing_row.ts";
import { balanceRead } from "./_records.ts";
import type { Deps } from "./deps.ts";

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
  const withdrawals = await Promise.all(
    withdrawalIds.map(async (id) =>
      present(await deps.db.find(Withdrawals, [id]), "A withdrawal stays")
    ),
  );
  const deposits = await Promise.all(sweepIds.map((id) => depositsOfSweep(deps.db, id)));
  return {
    withdrawalIds,
    depositsOf: new Map(sweepIds.map((id, i) => [id, deposits[i]!])),
    reads: [
      ...readAll(Transactions, transactionIds.map((id) => [id])),
      ...readAll(Sweeps, sweepIds.map((id) => [id])),
      ...readAll(Transactions, deposits.flat().map(({ id }) => [id])),
      ...withdrawals.flatMap(withdrawalReads),
      ...sweepIds.map((id) => alertRead("sweep_parked", `sweep:${id}`)),
      read(Addresses, [network.code, bids[0]!.sender], "address"),
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

/** What was mined is paid, or failed as a whole; what lost its nonce is dropped. */
export function settleOwners(view: View, verdict: Verdict): void {
  const { winner, losers } = verdict;
  settleOwner(view, { ...verdict, bid: winner });
  for (const loser of losers) {
    const isSame = loser.withdrawalId === winner.withdrawalId &&
      loser.sweepId === winner.sweepId && winner.purpose !== "foreign";
    if (!isSame) settleOwner(view, { ...verdict, bid: loser });
  }
}

/** What expired was never mined and never will be: it is as if it had not been signed. */
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
  return deposits.map(({ id }) => view.find(Transactions, [id])!);
}

interface Bid extends Verdict {
  readonly bid: SignedTransferRow;
}

function settleOwner(view: View, settling: Bid): void {
  const { bid, winner, nowMs } = settling;
  const isPaid = bid === winner && winner.isSuccessful === true &&
    winner.purpose !== "void" && winner.purpose !== "foreign";
  const row = bid.transactionId === null ? undefined : view.find(Transactions, [bid.transactionId]);
  const wasPaid = row?.status === "confirmed" && !isPaid;
  if (row) {
    const told = isPaid ? view.update(Transactions, row, toldOf(winner, settling.network)) : row;
    moveOutgoing(view, { row: told, trigger: isPaid ? "confirmed" : "failed", nowMs });
  }
  if (bid.withdrawalId !== null) settleWithdrawal(view, { ...settling, isPaid });
  if (bid.sweepId !== null) {
    settleSweep(view, { ...settling, isPaid, wasPaid, sweepId: bid.sweepId });
  }
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
  const { status } = view.find(Withdrawals, [id])!;
  const moved = moveWithdrawal(view, {
    id,
    step: {
      trigger,
      actor: "worker",
      nowMs,
      errorMessage,
      // A bid that came too late may have been shown last.
      ...(isPaid || isReverted ? { txHash: winner.txHash } : {}),
    },
  });
  const ended = moved ? undefined : status;
  const alert = alertFor({ bid, winner, isPaid, ended });
  if (alert) insertAlert(view, { ...alert, nowMs });
}

function alertFor(
  { bid, winner, isPaid, ended }: Pick<Bid, "bid" | "winner"> & {
    isPaid: boolean;
    /** As what it had ended before; undefined: it ends now. */
    ended: WithdrawalRow["status"] | undefined;
  },
): NewAlert | undefined {
  const subject = `withdrawal:${bid.withdrawalId}`;
  const what = `${bid.txHash} on ${bid.network}`;
  if (!ended && !isPaid && winner.purpose !== "void" && bid !== winner) {
    return {
      kind: "withdrawal_dropped",
      subject,
      message: `${what} lost its nonce ${bid.nonce} to another transaction`,
    };
  }
  // What had ended before the chain changed is not booked anew by itself.
  const isAsBooked = !ended || isPaid === (ended === "confirmed");
  if (isAsBooked || bid !== winner || winner.purpose !== "withdrawal") return undefined;
  return {
    kind: "withdrawal_unpaid",
    subject,
    message: isPaid
      ? `${what} paid a withdrawal that had ${ended} before: it is not debited`
      : `${what} reverted after its withdrawal had confirmed: it is debited and not paid`,
  };
}

function settleSweep(
  view: View,
  { bid, winner, isPaid, wasPaid, sweepId, owners, nowMs }: Bid & {
    isPaid: boolean;
    /** It had been mined for good before, in a branch that lost. */
    wasPaid: boolean;
    sweepId: number;
  },
): void {
  const deposits = sweptIn(view, bid, owners);
  if (wasPaid && bid.purpose === "sweep") {
    const row = view.find(Transactions, [present(bid.transactionId, "It was told")])!;
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
  const reason = isReverted ? `${bid.txHash} was mined and reverted` : null;
  moveSweep(view, { id: sweepId, trigger, deposits, reason, nowMs });
}

function idsOf(
  bids: readonly SignedTransferRow[],
  idOf: (row: SignedTransferRow) => number | null,
): number[] {
  return [...new Set(bids.map(idOf).filter((id) => id !== null))];
}
