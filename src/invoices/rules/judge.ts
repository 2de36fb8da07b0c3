import { Amount, assetOf } from "../../domain/money/amount.ts";
import { type Coins, coinsOf, isStillThere } from "./accepted.ts";
import { type Method, slackOf, smallestUnit } from "./coins.ts";
import type { InvoiceStatus } from "./status.ts";
import {
  CREDITED_STATUSES,
  type TransactionStatus,
} from "../../deposits/rules/transaction_moves.ts";

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

/** What the value of a payment depends on. */
export type Pricing = Pick<InvoiceTerms, "amount" | "currency" | "methods" | "expiresAtMs">;

/** It was seen and is in no block: it may return with its own, or only if it is mined anew. */
export type Missing = "may_return" | "gone";

export interface InvoicePayment {
  readonly network: string;
  readonly currency: string;
  readonly decimals: number;
  readonly amount: string;
  readonly status: TransactionStatus;
  readonly missing?: Missing | undefined;
  readonly paidAtMs: number;
  /** The price of one coin when it was detected; null: there was none. */
  readonly laterRate: string | null;
  /** Of a test network, when the account had real coins: whatever was offered, it has no value. */
  readonly isWorthless?: boolean;
}

/** Whether a payment counts for its invoice, and whether it is money of the account yet. */
export function countsAs(
  { status, missing }: Pick<InvoicePayment, "status" | "missing">,
): "nothing" | "seen" | "credited" {
  if (status === "failed" || missing === "gone") return "nothing";
  return CREDITED_STATUSES.includes(status) ? "credited" : "seen";
}

interface Worth {
  /** The value of payments that count, credited or not. */
  readonly paid: string;
  readonly confirmed: string;
  /** Payments that count and have no value: there was no rate, and they wait for the merchant. */
  readonly unpriced: number;
  /** The most that the smallest unit of a coin among them is worth. */
  readonly unit: string;
}

/** What an invoice's payments add up to. */
export interface PaymentSums extends Worth {
  /** All of them, also those that count for nothing. */
  readonly payments: number;
  readonly counted: number;
  /** Of these, in no block now. */
  readonly missing: number;
  /** Of `paid`, what came in time. */
  readonly inTime: string;
  /** By network and currency. */
  readonly credited: Coins;
  /** The same once it is extended, when everything came in time; null: everything did. */
  readonly extended: Worth | null;
}

export const NO_PAYMENTS: PaymentSums = {
  ...{ payments: 0, counted: 0, paid: "0", confirmed: "0", inTime: "0", unpriced: 0, unit: "0" },
  ...{ missing: 0, credited: {}, extended: null },
};

export function addUp(terms: Pricing, payments: readonly InvoicePayment[]): PaymentSums {
  const counted = payments.filter((one) => countsAs(one) !== "nothing");
  const credited = counted.filter((one) => countsAs(one) === "credited");
  const inTime = counted.filter((one) => !isLate(terms, one));
  const missing = counted.filter((one) => one.missing === "may_return").length;
  const isAllInTime = inTime.length === counted.length;
  return {
    payments: payments.length,
    counted: counted.length,
    missing,
    ...worthOf(terms, counted),
    inTime: valueOfAll(terms, inTime).toString(),
    credited: coinsOf(credited),
    extended: isAllInTime ? null : worthOf({ ...terms, expiresAtMs: Infinity }, counted),
  };
}

/** An extension is for a while from now on, and everything that has come came before it. */
export function extendedSums<Sums extends PaymentSums>(sums: Sums): Sums {
  const { extended } = sums;
  return extended ? { ...sums, ...extended, inTime: extended.paid, extended: null } : sums;
}

function worthOf(terms: Pricing, counted: readonly InvoicePayment[]): Worth {
  const credited = counted.filter((one) => countsAs(one) === "credited");
  return {
    paid: valueOfAll(terms, counted).toString(),
    confirmed: valueOfAll(terms, credited).toString(),
    unpriced: counted.filter((one) => rateOf(terms, one) === null).length,
    unit: unitOf(terms, counted).toString(),
  };
}

/** Coins at one price are added up first, because pricing each payment takes several times as long. */
function valueOfAll(terms: Pricing, payments: readonly InvoicePayment[]): Amount {
  const { currency: asset } = terms;
  const sums = [...samePrices(terms, payments)].map(([rate, some]) =>
    Amount.sumOf(some.map(({ amount }) => amount), "").convertedBy(rate, asset)
  );
  return sums.reduce((all, one) => all.plus(one), Amount.zero(asset));
}

function samePrices(
  terms: Pricing,
  payments: readonly InvoicePayment[],
): Map<string, InvoicePayment[]> {
  const priced = Map.groupBy(payments, (one) => rateOf(terms, one) ?? "");
  priced.delete("");
  return priced;
}

/** In the invoice's currency; null: it has no rate. */
export function valueOf(terms: Pricing, payment: InvoicePayment): string | null {
  const rate = rateOf(terms, payment);
  const { amount, currency } = payment;
  return rate && Amount.parse(amount, currency).convertedBy(rate, terms.currency).toString();
}

/** Paid in time with one of the methods: the locked rate. Else the rate when it was detected. */
function rateOf(terms: Pricing, payment: InvoicePayment): string | null {
  return lockedFor(terms, payment)?.rate ?? payment.laterRate;
}

/** Undefined for what counts at another price than was offered, or at none. */
function lockedFor(terms: Pricing, payment: InvoicePayment): Method | undefined {
  return payment.isWorthless || isLate(terms, payment) ? undefined : methodOf(terms, payment);
}

function isLate({ expiresAtMs }: Pricing, { paidAtMs }: InvoicePayment): boolean {
  return paidAtMs > expiresAtMs + GRACE_MS;
}

export function methodOf(
  { methods }: Pick<Pricing, "methods">,
  { network, currency }: Pick<InvoicePayment, "network" | "currency">,
): Method | undefined {
  return methods.find((one) => one.network === network && one.currency === currency);
}

function unitOf(terms: Pricing, payments: readonly InvoicePayment[]): Amount {
  const kinds = new Map(payments.map((payment) => {
    const kind = `${assetOf(payment)} ${isLate(terms, payment)} ${rateOf(terms, payment)}`;
    return [kind, payment];
  }));
  const units = [...kinds.values()].map((payment) => {
    const method = lockedFor(terms, payment);
    if (method) return slackOf(terms.amount, { invoiceCurrency: terms.currency, method });
    const smallest = Amount.parse(smallestUnit(payment.decimals), payment.currency);
    return smallest.convertedBy(payment.laterRate ?? "0", terms.currency);
  });
  return units.reduce(
    (most, unit) => most.isLessThan(unit) ? unit : most,
    Amount.zero(terms.currency),
  );
}

export interface Judgement {
  readonly status: InvoiceStatus;
  /** The value of payments that were seen or credited. */
  readonly paid: string;
  readonly confirmed: string;
  readonly due: string;
  readonly overpaid: string;
  readonly isLate: boolean;
}

/** Where an invoice stands: only facts and the time decide, not how it came there. */
export function judge(
  terms: InvoiceTerms,
  { sums, nowMs }: { sums: PaymentSums; nowMs: number },
): Judgement {
  const asset = terms.currency;
  const amount = Amount.parse(terms.amount, asset);
  const least = amount.minus(amount.percentage(terms.tolerancePercent));
  const paid = Amount.parse(sums.paid, asset);
  const confirmed = Amount.parse(sums.confirmed, asset);
  const isCovered = !paid.isLessThan(least);
  const isAccepted = terms.acceptedValue !== null && Object.keys(sums.credited).length > 0 &&
    !confirmed.isLessThan(Amount.parse(terms.acceptedValue, asset)) &&
    isStillThere(terms.acceptedCoins ?? {}, sums.credited);
  const isPaid = isAccepted || !confirmed.isLessThan(least);
  const excess = paid.minus(amount);
  return {
    status: statusOf(terms, { isPaid, isCovered, hasPayments: sums.counted > 0, nowMs }),
    paid: sums.paid,
    confirmed: sums.confirmed,
    due: isCovered || isAccepted ? "0" : amount.minus(paid).toString(),
    overpaid: isOverpaid(excess, sums) ? excess.toString() : "0",
    isLate: isCovered && Amount.parse(sums.inTime, asset).isLessThan(least),
  };
}

/** Amounts due are rounded up to the coin's smallest unit; an excess below that doesn't count. */
function isOverpaid(excess: Amount, { unit }: PaymentSums): boolean {
  return !excess.isNegative() && !excess.isLessThan(Amount.parse(unit, excess.asset));
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

/** While a payment is in no block, it is looked this often whether it may still return with its own. */
const MISSING_EVERY_MS = 30_000;

/** When the status may change although nothing marks the invoice; null: never. */
export function judgedAgainAtMs(
  status: InvoiceStatus,
  { expiresAtMs }: Pick<InvoiceTerms, "expiresAtMs">,
  { sums: { missing }, nowMs }: { sums: Pick<PaymentSums, "missing">; nowMs: number },
): number | null {
  const timesUpMs = status === "open" ? expiresAtMs : null;
  return missing > 0 ? Math.min(timesUpMs ?? Infinity, nowMs + MISSING_EVERY_MS) : timesUpMs;
}
