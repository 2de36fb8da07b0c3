import { Amount } from "../money/amount.ts";
import type { InvoicePayment, InvoiceTerms } from "./judge.ts";

/** The most that are listed. All of them count. */
export const PAYMENTS_LISTED_MAX = 100;
export const REFUNDS_LISTED_MAX = 100;

/**
 * Every look at an invoice reads all of its payments, and dust costs its sender next to nothing.
 * Nobody takes the places after the small ones for less than the whole amount.
 */
const SMALL_MAX = 100;
const ALL_MAX = 300;
/** Of the invoice's amount. */
const SMALL_PERCENT = "0.5";

type Payment = Pick<InvoicePayment, "network" | "currency" | "amount">;

/** Whether a payment counts for an invoice with `earlier` ones. Otherwise it is only credited. */
export function isCounted(
  terms: Pick<InvoiceTerms, "methods" | "currency" | "amount">,
  payment: Payment,
  earlier: number,
): boolean {
  if (earlier < SMALL_MAX) return true;
  const least = Amount.parse(terms.amount, terms.currency).percentage(SMALL_PERCENT);
  return earlier < ALL_MAX && !worthBefore(terms, payment).isLessThan(least);
}

/** The places of those worth most, in the order given. */
export function listedPayments(
  terms: Pick<InvoiceTerms, "methods" | "currency">,
  { payments, values, max }: {
    payments: readonly Pick<InvoicePayment, "network" | "currency" | "amount" | "status">[];
    values: readonly (string | null)[];
    max: number;
  },
): number[] {
  const places = payments.map((_, i) => i);
  if (places.length <= max) return places;
  const worths = payments.map((payment, i) => {
    if (payment.status === "failed") return Amount.zero(terms.currency);
    const value = values[i];
    return value ? Amount.parse(value, terms.currency) : worthBefore(terms, payment);
  });
  return places.toSorted((a, b) => compared(worths[b], worths[a]) || a - b)
    .slice(0, max).toSorted((a, b) => a - b);
}

/** Without a rate, what it would have been worth in time. */
function worthBefore(
  { methods, currency: asset }: Pick<InvoiceTerms, "methods" | "currency">,
  { network, currency, amount }: Payment,
): Amount {
  const method = methods.find((one) => one.network === network && one.currency === currency);
  return Amount.parse(amount, currency).convertedBy(method?.rate ?? "0", asset);
}

function compared(one: Amount | undefined, other: Amount | undefined): number {
  if (!one || !other) return 0;
  return one.isLessThan(other) ? -1 : other.isLessThan(one) ? 1 : 0;
}

/** Of refunds in their order, the newest. Those that failed may be many. */
export function listedRefunds<T>(refunds: readonly T[]): T[] {
  return refunds.slice(-REFUNDS_LISTED_MAX);
}
