import { Amount, assetOf } from "../../domain/money/amount.ts";
import type { TransactionStatus } from "../../deposits/rules/transaction_moves.ts";
import { type Coins, isStillThere } from "./accepted.ts";
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
  /** Of these, what has arrived; absent: nothing. */
  readonly returned?: Coins;
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

/** What sums count for a refund. */
export interface CountedRefund {
  /** Null: they lack it. */
  readonly counted: string | null;
  /** Null: it has not arrived. */
  readonly returned: string | null;
}

export const NOT_COUNTED: CountedRefund = { counted: null, returned: null };

export function withRefund(
  sums: InvoiceSums,
  refund: Refund,
  { before, now }: { before: CountedRefund; now: CountedRefund },
): InvoiceSums {
  const asset = assetOf(refund);
  const amount = (text: string | null | undefined) => Amount.parse(text ?? "0", asset);
  const moved = (coins: Coins, from: string | null, to: string | null): Coins => {
    const total = amount(coins[asset]).minus(amount(from)).plus(amount(to));
    return { ...coins, [asset]: total.toString() };
  };
  const refunded = moved(sums.refunded, before.counted, now.counted);
  const returned = before.returned === now.returned
    ? {}
    : { returned: moved(sums.returned ?? {}, before.returned, now.returned) };
  if (before.counted !== null) return { ...sums, refunded, ...returned };
  const listedRefunds = [...sums.listedRefunds, refund.id].toSorted((a, b) => a - b)
    .slice(-REFUNDS_LISTED_MAX);
  return { ...sums, refunded, ...returned, refunds: sums.refunds + 1, listedRefunds };
}

/** Whether anything has come for it, enough or not. */
export function isBegun({ counted }: Pick<InvoiceSums, "counted">): boolean {
  return counted > 0;
}

/** In words. The status stays what the payments made it. */
export type Refunded = "refunded" | "partly refunded";

/** By what has arrived. Undefined: nothing was given back. */
export function refundedOf(
  { credited, returned }: Pick<InvoiceSums, "credited" | "returned">,
): Refunded | undefined {
  if (returned === undefined) return undefined;
  return isStillThere(credited, returned) ? "refunded" : "partly refunded";
}

/** The same of what came in one coin. */
export function refundedIn(
  asset: string,
  { credited, returned }: Pick<InvoiceSums, "credited" | "returned">,
): Refunded | undefined {
  const back = returned?.[asset];
  if (back === undefined) return undefined;
  return refundedOf({ credited: { [asset]: credited[asset] ?? "0" }, returned: { [asset]: back } });
}
