import { Amount } from "../money/amount.ts";
import { isStillThere } from "./accepted.ts";
import { type Method, slackOf, smallestUnit } from "./coins.ts";
import type { InvoiceStatus } from "./status.ts";
import { CREDITED_STATUSES, type TransactionStatus } from "../states/transaction_moves.ts";

/** A payment this long after the end still counts at the locked rate. */
export const GRACE_MS = 60_000;

export interface InvoiceTerms {
  readonly amount: string;
  readonly currency: string;
  /** An underpayment up to this counts as paid. */
  readonly tolerancePercent: string;
  readonly methods: readonly Method[];
  readonly expiresAtMs: number;
  readonly cancelledAtMs: number | null;
  /** What had been credited when the merchant accepted it as paid. */
  readonly acceptedValue: string | null;
  /** The same by coin, because a payment without a rate has no value. */
  readonly acceptedCoins: Readonly<Record<string, string>> | null;
}

export interface InvoicePayment {
  readonly network: string;
  readonly currency: string;
  readonly decimals: number;
  readonly amount: string;
  readonly status: TransactionStatus;
  readonly paidAtMs: number;
  /** The price of one coin when it was detected; null: there was none. */
  readonly laterRate: string | null;
}

export interface Judgement {
  readonly status: InvoiceStatus;
  /** The value of payments that were seen or credited. */
  readonly paid: string;
  readonly confirmed: string;
  readonly due: string;
  readonly overpaid: string;
  readonly isLate: boolean;
  /** Of each payment, in the order given; null: without a rate, it waits for the merchant. */
  readonly values: readonly (string | null)[];
}

interface Valued {
  readonly payment: InvoicePayment;
  readonly value: Amount | null;
  /** What the coin's smallest unit is worth. */
  readonly unit: Amount;
  readonly isLate: boolean;
}

/** Where an invoice stands: only facts and the time decide, not how it came there. */
export function judge(
  terms: InvoiceTerms,
  { payments, nowMs }: { payments: readonly InvoicePayment[]; nowMs: number },
): Judgement {
  const asset = terms.currency;
  const amount = Amount.parse(terms.amount, asset);
  const least = amount.minus(amount.percentage(terms.tolerancePercent));
  const all = payments.map((payment) => valued(terms, payment));
  const live = all.filter(({ payment }) => payment.status !== "failed");
  const credited = live.filter(({ payment }) => CREDITED_STATUSES.includes(payment.status));
  const paid = sum(live, asset);
  const confirmed = sum(credited, asset);
  const isCovered = !paid.isLessThan(least);
  const isAccepted = terms.acceptedValue !== null && credited.length > 0 &&
    !confirmed.isLessThan(Amount.parse(terms.acceptedValue, asset)) &&
    isStillThere(terms.acceptedCoins ?? {}, credited.map(({ payment }) => payment));
  const isPaid = isAccepted || !confirmed.isLessThan(least);
  const inTime = sum(live.filter(({ isLate }) => !isLate), asset);
  return {
    status: statusOf(terms, { isPaid, isCovered, hasPayments: live.length > 0, nowMs }),
    paid: paid.toString(),
    confirmed: confirmed.toString(),
    due: isCovered || isAccepted ? "0" : amount.minus(paid).toString(),
    overpaid: overpaid(amount, { paid, live }).toString(),
    isLate: isCovered && inTime.isLessThan(least),
    values: all.map(({ value }) => value?.toString() ?? null),
  };
}

function statusOf(
  { cancelledAtMs, expiresAtMs }: InvoiceTerms,
  { isPaid, isCovered, hasPayments, nowMs }: {
    isPaid: boolean;
    isCovered: boolean;
    hasPayments: boolean;
    nowMs: number;
  },
): InvoiceStatus {
  if (cancelledAtMs !== null) return "cancelled";
  if (isPaid) return "paid";
  if (isCovered) return "processing";
  if (nowMs < expiresAtMs) return "open";
  return hasPayments ? "underpaid" : "expired";
}

/** Paid in time with one of the methods: the locked rate. Else the rate when it was detected. */
function valued(terms: InvoiceTerms, payment: InvoicePayment): Valued {
  const { network, currency, decimals, paidAtMs, laterRate } = payment;
  const isLate = paidAtMs > terms.expiresAtMs + GRACE_MS;
  const method = terms.methods.find((one) => one.network === network && one.currency === currency);
  const rate = method && !isLate ? method.rate : laterRate;
  const worth = (text: string) =>
    Amount.parse(text, currency).convertedBy(rate ?? "0", terms.currency);
  const unit = method && !isLate
    ? slackOf(terms.amount, { invoiceCurrency: terms.currency, method })
    : worth(smallestUnit(decimals));
  return { payment, value: rate === null ? null : worth(payment.amount), unit, isLate };
}

function sum(all: readonly Valued[], asset: string): Amount {
  return all.reduce((total, { value }) => value ? total.plus(value) : total, Amount.zero(asset));
}

/** Amounts due are rounded up to the coin's smallest unit; an excess below that doesn't count. */
function overpaid(
  amount: Amount,
  { paid, live }: { paid: Amount; live: readonly Valued[] },
): Amount {
  const none = Amount.zero(amount.asset);
  const excess = paid.minus(amount);
  if (excess.isNegative()) return none;
  return live.some(({ unit }) => excess.isLessThan(unit)) ? none : excess;
}

/** When the status may change without a payment; null: never. */
export function judgedAgainAtMs(
  status: InvoiceStatus,
  { expiresAtMs }: Pick<InvoiceTerms, "expiresAtMs">,
): number | null {
  return status === "open" ? expiresAtMs : null;
}
