import type { CheckedPayout, PayoutFault } from "../../actions/payouts/check.ts";
import type { PayableAsset } from "../../actions/payouts/payable.ts";
import type { NotPayable } from "../../actions/withdrawals/payable_now.ts";
import { FormFault } from "../form.ts";
import { API_WORDS } from "./refusals.ts";

const CHECK = "Nothing was paid. Check the highlighted fields";

/** Each fault next to its field. */
export function faultsOfForm(checked: CheckedPayout): FormFault {
  const texts = checked.faults.map((fault) => [fault.field, faultText(fault, checked)] as const);
  return new FormFault(CHECK, new Map(texts));
}

function faultText({ code, text }: PayoutFault, checked: CheckedPayout): string {
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

/** What limits the next payout of a currency, and what to do about it. */
export function whyNotMore(asset: PayableAsset): string {
  const { available, hot, hasWallet, payable, onDeposits, isCut, currency: { symbol } } = asset;
  if (!hasWallet) return "There is no hot wallet on this network yet.";
  if (!hot || !payable) return "The node does not answer, so the hot wallet's balance is unknown.";
  if (!hot.isLessThan(available)) return "Everything available, less the fee.";
  const more = isCut ? "more than " : "";
  const elsewhere = onDeposits.isZero() ? "" : `, ${more}${onDeposits} on deposit addresses`;
  return `${hot} ${symbol} in the hot wallet${elsewhere}. Fund the hot wallet to pay more.`;
}
