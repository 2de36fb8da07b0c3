import type { CheckedPayout, PayoutFault } from "../../payouts/check.ts";
import type { BatchSum } from "../../payouts/check_batch.ts";
import type { PayableAsset } from "../../payouts/payable.ts";
import type { LineRefusal } from "../../payouts/send_batch.ts";
import type { NotPayable } from "../payable_now.ts";
import type { LineFault } from "../../payouts/rules/read_file.ts";
import type { WithdrawalRow } from "../table.ts";
import type { Flash } from "../../dashboard/cookies.ts";
import { FormFault } from "../../dashboard/form.ts";
import { isFree } from "../../dashboard/parts/fee.tsx";
import { shownText } from "../../dashboard/words/amounts.ts";
import { API_WORDS, errorForUser } from "../../dashboard/words/refusals.ts";

const CHECK = "Nothing was paid. Check the highlighted fields";

/** Each fault next to its field. */
export function faultsOfForm(checked: CheckedPayout): FormFault {
  const texts = checked.faults.map((fault) => [fault.field, faultText(fault, checked)] as const);
  return new FormFault(CHECK, new Map(texts));
}

export function faultText({ code, text }: PayoutFault, checked: CheckedPayout): string {
  const { cost, available, minimum } = checked;
  const [, symbol] = cost.asset.split("/");
  const words = text ?? API_WORDS[code] ?? code;
  if (code === "insufficient_balance") {
    return `${words}: ${available} ${symbol} are available, ${cost} ${symbol} are needed`;
  }
  return code === "amount_below_minimum" ? `${words} of ${minimum} ${symbol}` : words;
}

function notPayableText(why: NotPayable): string {
  if (why.code === "cannot_pay") return why.text;
  if (why.code === "node_silent") {
    return "The network's node does not answer, so nothing can be paid right now. Try again soon";
  }
  return API_WORDS.hot_wallet_missing!;
}

export function notPayableFault(why: NotPayable): FormFault {
  const field = why.code === "cannot_pay" ? "amount" : "asset";
  return new FormFault(CHECK, new Map([[field, notPayableText(why)]]));
}

/** After a payout was asked for. */
export function payoutFlash({ status, approval }: WithdrawalRow): Flash {
  if (status === "failed") {
    return { kind: "fault", text: "The payout could not be sent. Nothing is held" };
  }
  if (approval === "waiting") return { kind: "done", text: "Accepted. It waits for an approval" };
  const text = status === "pending"
    ? "Accepted. It will be paid once payments resume"
    : "The payout is on its way";
  return { kind: "done", text };
}

/** What limits the next payout of a currency. */
interface PayoutLimit {
  readonly text: string;
  /** What else it takes besides funding the hot wallet; undefined: that would change nothing. */
  readonly funded?: string;
}

export function payoutLimit(asset: PayableAsset): PayoutLimit {
  const { available, most, hot, hasWallet, onDeposits, currency } = asset;
  const { symbol } = currency;
  if (!hasWallet) return { text: "There is no hot wallet on this network yet." };
  if (!hot) return { text: "The node does not answer, so the hot wallet's balance is unknown." };
  if (!hot.isLessThan(most)) {
    if (available.isZero()) return { text: "Nothing is available." };
    const less = isFree(currency) ? "" : ", less the fee";
    return { text: `The available balance, ${shownText(available.toString())} ${symbol}${less}.` };
  }
  const there = `${shownText(hot.toString())} ${symbol} in the hot wallet`;
  if (onDeposits.isZero()) return { text: `${there}.`, funded: " to pay more." };
  const more = asset.isCut ? "more than " : "";
  return {
    text: `${there}, ${more}${shownText(onDeposits.toString())} on deposit addresses.`,
    funded: asset.isSweptThere ? " or wait for a sweep." : ".",
  };
}

/** Why a batch can't be paid as a whole. */
export function sumFaults({ asset, cost, amount, available, hot }: BatchSum): LineFault[] {
  const [network, symbol] = asset.split("/");
  const faults: string[] = [];
  if (available.isLessThan(cost)) {
    faults.push(
      `All lines together cost ${cost} ${symbol} with fees, and ${available} ${symbol} are available`,
    );
  }
  if (!hot) {
    faults.push(
      `What the hot wallet on ${network} holds is unknown, because its node doesn't answer`,
    );
  } else if (hot.isLessThan(amount)) {
    faults.push(
      `All lines together pay ${amount} ${symbol}, and the hot wallet on ${network} can pay ${hot}. ` +
        "Fund it first",
    );
  }
  return faults.map((text) => ({ line: 0, text }));
}

export function refusalOfLine(refusal: LineRefusal): string {
  if (refusal.kind === "not_payable") return notPayableText(refusal.why);
  if (refusal.kind === "refused") return errorForUser(refusal.error)?.message ?? "It was refused";
  const { checked } = refusal;
  return checked.faults.map((fault) => faultText(fault, checked)).join(". ");
}
