import { Amount } from "../../domain/money/amount.ts";
import {
  countsAs,
  type InvoicePayment,
  type InvoiceTerms,
  methodOf,
  type Pricing,
  valueOf,
} from "./judge.ts";

/** The most that an invoice lists. All of them count. */
export const PAYMENTS_LISTED_MAX = 100;
export const REFUNDS_LISTED_MAX = 100;
/** The most of each that an invoice has in a list of invoices. */
export const LISTED_IN_LISTS_MAX = 3;

/**
 * All payments are added up whenever one changes, and dust costs its sender next to nothing.
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

/** The places of those worth most, and of them the one worth most first. */
export function listedPayments(
  terms: Pricing,
  payments: readonly InvoicePayment[],
): number[] {
  const worths = payments.map((payment) => {
    if (countsAs(payment) === "nothing") return Amount.zero(terms.currency);
    const value = valueOf(terms, payment);
    return value ? Amount.parse(value, terms.currency) : worthBefore(terms, payment);
  });
  return payments.map((_, i) => i)
    .toSorted((a, b) => compared(worths[b], worths[a]) || a - b)
    .slice(0, PAYMENTS_LISTED_MAX);
}

/** Without a rate, what it would have been worth in time. */
function worthBefore(
  terms: Pick<InvoiceTerms, "methods" | "currency">,
  payment: Payment,
): Amount {
  const rate = methodOf(terms, payment)?.rate ?? "0";
  return Amount.parse(payment.amount, payment.currency).convertedBy(rate, terms.currency);
}

function compared(one: Amount | undefined, other: Amount | undefined): number {
  if (!one || !other) return 0;
  return one.isLessThan(other) ? -1 : other.isLessThan(one) ? 1 : 0;
}
