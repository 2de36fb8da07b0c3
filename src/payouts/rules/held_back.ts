import { type Found, PAY_OUT } from "../../accounts/rules/usable.ts";
import type { Amount } from "../../domain/money/amount.ts";

/** Why an accepted payout is neither approved nor signed for now. Nothing else is wrong with it. */
export type HeldBack =
  | (Coin & { readonly code: "network_off" })
  | (Coin & { readonly code: "currency_off" })
  | (Coin & { readonly code: "payouts_off" })
  | Unrefundable
  | Uncovered;

interface Coin {
  readonly network: string;
  readonly currency: string;
}

/** It would give back more than its invoice still has. */
interface Unrefundable {
  readonly code: "refund_too_high";
  readonly invoiceId: number;
  readonly currency: string;
  /** Never below zero. */
  readonly left: Amount;
}

/** Money was taken back since, and the rest of the balance doesn't cover what is held. */
interface Uncovered extends Coin {
  readonly code: "uncovered";
  readonly missing: Amount;
}

export function heldBackText(why: HeldBack): string {
  if (why.code === "network_off") return `${why.network} is switched off`;
  if (why.code === "currency_off") return `${why.currency} on ${why.network} is switched off`;
  if (why.code === "payouts_off") {
    return `Payouts of ${why.currency} on ${why.network} are switched off for the account`;
  }
  if (why.code === "uncovered") {
    return `The balance lacks ${why.missing} ${why.currency} on ${why.network} of what is held for ` +
      "payouts, because money was taken back";
  }
  const { left, currency, invoiceId } = why;
  return left.isZero()
    ? `Nothing is left to refund of invoice ${invoiceId}, because a payment was taken back`
    : `Only ${left} ${currency} is left to refund of invoice ${invoiceId}, because a payment was ` +
      "taken back";
}

const WAITS = {
  network_not_found: "network_off",
  currency_not_found: "currency_off",
  withdrawals_disabled: "payouts_off",
} as const;

/** What is refused now would wait if it was accepted before. Undefined: payouts are on. */
export function whyOff(coin: Coin, found: Found): HeldBack | undefined {
  const refusal = PAY_OUT.whyNot(PAY_OUT.of(found));
  return refusal && { code: WAITS[refusal], ...coin };
}

/** Undefined: the balance covers everything that is held. */
export function whyUncovered(coin: Coin, available: Amount): HeldBack | undefined {
  if (!available.isNegative()) return undefined;
  return { code: "uncovered", ...coin, missing: available.negated() };
}
