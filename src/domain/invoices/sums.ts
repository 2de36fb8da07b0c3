import { Amount, assetOf } from "../money/amount.ts";
import type { TransactionStatus } from "../states/transaction_moves.ts";
import type { Coins } from "./accepted.ts";
import { type Missing, NO_PAYMENTS, type PaymentSums } from "./judge.ts";
import { REFUNDS_LISTED_MAX } from "./listed.ts";

/** A payment that is listed, with the status that the sums count it in. */
interface ListedPayment {
  /** Of its transaction. */
  readonly id: number;
  readonly status: TransactionStatus;
  readonly missing?: Missing | undefined;
}

interface RefundSums {
  /** All of them, also those that were not paid. */
  readonly refunds: number;
  /** By network and currency: what was given back, or is about to be. */
  readonly refunded: Coins;
  /** The newest withdrawals, in their order. */
  readonly listedRefunds: readonly number[];
}

/**
 * Everything that an invoice has, kept with it. Its status follows from the same facts, and is
 * written with them.
 */
export interface InvoiceSums extends PaymentSums, RefundSums {
  /** Those worth most, and of them the one worth most first. */
  readonly listed: readonly ListedPayment[];
}

export const NO_SUMS: InvoiceSums = {
  ...{ ...NO_PAYMENTS, listed: [], refunds: 0, refunded: {}, listedRefunds: [] },
};

interface Refund {
  /** Of its withdrawal. */
  readonly id: number;
  readonly network: string;
  readonly currency: string;
}

/** A refund counts as `now`; `before`: what the sums have counted for it, null if they lack it. */
export function withRefund(
  sums: InvoiceSums,
  refund: Refund,
  { before, now }: { before: string | null; now: string },
): InvoiceSums {
  const asset = assetOf(refund);
  const amount = (text: string | null | undefined) => Amount.parse(text ?? "0", asset);
  const total = amount(sums.refunded[asset]).minus(amount(before)).plus(amount(now));
  const refunded = { ...sums.refunded, [asset]: total.toString() };
  if (before !== null) return { ...sums, refunded };
  const listedRefunds = [...sums.listedRefunds, refund.id].toSorted((a, b) => a - b)
    .slice(-REFUNDS_LISTED_MAX);
  return { ...sums, refunded, refunds: sums.refunds + 1, listedRefunds };
}
