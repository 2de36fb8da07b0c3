import type { WhyUnsigned } from "../../payouts/why_unsigned.ts";
import { heldBackText } from "../../payouts/rules/held_back.ts";
import { shownText } from "../../dashboard/words/amounts.ts";
import type { WithdrawalTrigger } from "../rules/moves.ts";
import type { ApprovalRequestRow } from "../../approvals/table.ts";
import type { WithdrawalRow } from "../table.ts";

type Asked = Pick<ApprovalRequestRow, "needed" | "given" | "decidedBy">;

/** What its state depends on. */
export interface PayoutKnown {
  readonly row: Pick<WithdrawalRow, "status" | "failureReason" | "errorMessage">;
  /** Why it isn't signed, if it isn't. */
  readonly whys: readonly WhyUnsigned[];
  /** How many must approve it, how many have, and who may. */
  readonly approvals: Asked | undefined;
  readonly isSigned: boolean;
  /** Of the mined transaction; undefined: it is in no block. */
  readonly depth: number | undefined;
  readonly blocksNeeded: number;
  /** The newest transaction for it moves nothing. */
  readonly isRevoked: boolean;
  /** How it was cancelled. */
  readonly ending: WithdrawalTrigger | undefined;
}

const AVAILABLE = "The held amount is available again.";

/** The payout's state as one would say it. */
export function payoutSentence(known: PayoutKnown): string {
  const { row: { status } } = known;
  if (status === "pending") return pendingText(known);
  if (status === "broadcasted") return sentText(known);
  if (status === "confirmed") return "Paid, and debited from the balance.";
  return status === "cancelled" ? cancelledText(known) : failedText(known);
}

function pendingText({ whys: [why], isSigned, approvals }: PayoutKnown): string {
  if (isSigned) return "Signed, and about to be sent.";
  return why === undefined
    ? "Accepted. It is signed and sent in a moment."
    : whyText(why, { approvals });
}

function sentText({ depth, blocksNeeded, isRevoked }: PayoutKnown): string {
  if (depth !== undefined) {
    const blocks = blocksNeeded === 1 ? "1 block" : `${blocksNeeded} blocks`;
    return `In a block. It counts as paid after ${blocks}.`;
  }
  return isRevoked
    ? "Being revoked: whichever transaction is mined first, the payment or the empty one, counts."
    : "Sent, and in no block yet.";
}

function cancelledText({ ending }: PayoutKnown): string {
  if (ending === "rejected") return `Rejected by an approver: nothing was paid. ${AVAILABLE}`;
  if (ending === "expired") {
    return `Cancelled, because nobody approved it in time: nothing was paid. ${AVAILABLE}`;
  }
  return `Cancelled before anything was signed: nothing was paid. ${AVAILABLE}`;
}

function failedText({ row: { failureReason, errorMessage } }: PayoutKnown): string {
  if (failureReason === "reverted") {
    return `Failed on the chain: its transaction was mined but paid nothing. ${AVAILABLE}`;
  }
  if (failureReason === "expired") {
    return `Failed: its transaction expired before it was mined. Nothing was paid. ${AVAILABLE}`;
  }
  if (failureReason === "dropped") {
    return `Failed: another transaction was mined in its place. Nothing was paid. ${AVAILABLE}`;
  }
  const why = errorMessage === null ? "" : `: ${errorMessage.replace(/\.$/, "")}`;
  return `Failed before anything was sent${why}. ${AVAILABLE}`;
}

type Told = Exclude<WhyUnsigned["code"], "short" | "approval" | "held_back">;

const WHYS: Readonly<Record<Told, string>> = {
  stopped: "Nothing is signed until an operator resumes payments. The amount stays held.",
  suspended: "The account is suspended, so nothing is signed for it. The amount stays held.",
  paused: "Payouts of this currency are paused until an operator has checked an alert.",
  too_expensive: "The network's fees are above the operator's limit. It is sent once they fall.",
  no_wallet: "There is no hot wallet on this network yet.",
  wallet_halted: "The hot wallet signs nothing until an operator has looked at it.",
  node_silent: "The network's node doesn't answer. It is sent once it does.",
};

export function whyText(
  why: WhyUnsigned,
  { approvals }: Pick<PayoutKnown, "approvals">,
): string {
  if (why.code === "approval") {
    const { needed = 1, given = 0, decidedBy } = approvals ?? {};
    const more = needed - given;
    const by = decidedBy === "operator" ? " by the operator" : "";
    return `Waiting for ${more} more ${more === 1 ? "approval" : "approvals"}${by}. ` +
      "Nothing is signed before, and the amount stays held.";
  }
  if (why.code === "held_back") {
    return `${heldBackText(why.why)}. The amount stays held until that changes or the payout is ` +
      "cancelled.";
  }
  if (why.code !== "short") return WHYS[why.code];
  const { held, onDeposits, isCut, isSweptThere } = why;
  const symbol = held.asset.split("/")[1] ?? held.asset;
  const elsewhere = onDeposits.isZero()
    ? ""
    : `, ${isCut ? "more than " : ""}${shownText(onDeposits.toString())} on deposit addresses`;
  const wait = isSweptThere && !onDeposits.isZero() ? " or wait for a sweep" : "";
  return `${shownText(held.toString())} ${symbol} in the hot wallet${elsewhere}. Fund it${wait}.`;
}
