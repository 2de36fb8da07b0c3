import { present } from "../base/assert.ts";
import type { SignedTransferRow } from "../transfers/table.ts";
import { type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";
import type { View } from "../store/engine/workspace.ts";
import { closeAlert, insertAlert, type NewAlert } from "../books/alerts.ts";
import { shortfallOf } from "../books/arrival.ts";
import { moveWithdrawal, type WithdrawalStep } from "../books/move_withdrawal.ts";
import type { Settling } from "./_owners.ts";

/** Only an operator can tell whether it is paid, so it is neither debited nor released automatically. */
export function isUndecided(view: View, { withdrawalId }: SignedTransferRow): boolean {
  if (withdrawalId === null) return false;
  return view.get(Withdrawals, [withdrawalId]).status === "broadcasted";
}

export function alertUndecided(view: View, { bid, nowMs }: Settling): void {
  const id = present(bid.withdrawalId, "The bid is a withdrawal's");
  const { accountId } = view.get(Withdrawals, [id]);
  insertAlert(view, {
    kind: "withdrawal_unpaid",
    accountId,
    subject: `withdrawal:${id}`,
    message: `${bid.txHash} on ${bid.network} was mined, but its token logged no payment to ` +
      bid.toAddress,
    advice: { code: "settle_withdrawal", withdrawalId: id },
    nowMs,
  });
}

export function settleWithdrawal(
  view: View,
  { bid, winner, isPaid, nowMs }: Settling & { isPaid: boolean },
): void {
  const id = present(bid.withdrawalId, "The bid is a withdrawal's");
  const { status, accountId } = view.get(Withdrawals, [id]);
  const moved = moveWithdrawal(view, { id, step: stepOf({ bid, winner, isPaid, nowMs }) });
  const ended = moved ? undefined : status;
  if (moved) closeAlert(view, { kind: "withdrawal_unpaid", subject: `withdrawal:${id}`, nowMs });
  const alert = alertFor({ bid, winner, isPaid, ended });
  if (alert) insertAlert(view, { ...alert, accountId, nowMs });
}

type Bids = Pick<Settling, "bid" | "winner"> & { readonly isPaid: boolean };

function stepOf(
  { bid, winner, isPaid, nowMs }: Bids & { nowMs: number },
): WithdrawalStep {
  const by = { actor: "worker", nowMs } as const;
  // A later bid, which lost, may be the one shown.
  const { txHash } = winner;
  if (isPaid) return { ...by, trigger: "confirmed", txHash };
  if (bid === winner && winner.purpose === "withdrawal") {
    const errorMessage = "The transaction was mined and reverted";
    return { ...by, trigger: "reverted", errorMessage, txHash };
  }
  const errorMessage = winner.purpose === "void"
    ? "An empty transaction took its place"
    : "Another transaction of the hot wallet took its nonce";
  return { ...by, trigger: "dropped", errorMessage };
}

interface Ending extends Bids {
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
