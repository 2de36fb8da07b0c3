import type { Amount } from "../../domain/money/amount.ts";

/** Why an accepted payout is neither approved nor signed for now. Nothing else is wrong with it. */
export type HeldBack =
  | { readonly code: "network_off"; readonly network: string }
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

/** What the account's people and its operators have switched on. */
interface Switches {
  readonly network: { readonly code: string; readonly isActive: boolean };
  readonly currency: { readonly symbol: string; readonly isActive: boolean };
  /** Undefined: never switched on. */
  readonly enabled: { readonly isWithdrawalEnabled: boolean } | undefined;
}

/** Undefined: payouts are on. */
export function whyOff({ network, currency, enabled }: Switches): HeldBack | undefined {
  if (!network.isActive) return { code: "network_off", network: network.code };
  const coin = { network: network.code, currency: currency.symbol };
  if (!currency.isActive) return { code: "currency_off", ...coin };
  return enabled?.isWithdrawalEnabled ? undefined : { code: "payouts_off", ...coin };
}

/** Undefined: the balance covers everything that is held. */
export function whyUncovered(coin: Coin, available: Amount): HeldBack | undefined {
  if (!available.isNegative()) return undefined;
  return { code: "uncovered", ...coin, missing: available.negated() };
}
