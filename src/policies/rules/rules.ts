import { present } from "../../base/assert.ts";
import { Amount, AMOUNT_DIGITS_MAX } from "../../domain/money/amount.ts";
import { isSameSymbol } from "../../domain/money/symbols.ts";

/** The windows of the contract, in milliseconds. */
export const WINDOWS = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;

/** What makes a rule match. All but the last two compare the payment with the rule's limit. */
export type Condition =
  | "max_payment"
  | "max_hour"
  | "max_day"
  | "max_week"
  | "max_count_hour"
  | "max_count_day"
  | "only_payees"
  | "always";

export const EACH = ["account", "key", "recipient"] as const;
export type Each = typeof EACH[number];

export type RuleOutcome = "refuse" | "approve";
type Outcome = RuleOutcome | "allow";

/** Which payments a rule is about: null stands for all. */
export interface Scope {
  readonly accountId: number | null;
  readonly keyId: string | null;
  readonly network: string | null;
  readonly currency: string | null;
  /** One total for each of these instead of one for all. */
  readonly each: Each | null;
  /** The currency in which amounts are limited and added up; their own if absent. */
  readonly quote?: string | null;
}

export interface Rule extends Scope {
  readonly id: number;
  readonly label: string;
  readonly condition: Condition;
  /** An amount or a number of requests; null for conditions without one. */
  readonly cap: string | null;
  readonly outcome: RuleOutcome;
  /** How many people must approve. */
  readonly approvals: number;
  readonly expiresMs: number;
}

export interface Payment {
  readonly accountId: number;
  readonly keyId: string;
  readonly network: string;
  readonly currency: string;
  /** As the network writes it. */
  readonly recipient: string;
  /** What the recipient gets, without the fee. */
  readonly amount: string;
  /** What that was worth when it was requested, by currency, as far as there were rates. */
  readonly values?: Readonly<Record<string, string>>;
  /** What it is worth now, if it was requested earlier. */
  readonly valuesNow?: Readonly<Record<string, string>>;
}

/** Noted as a payment's value if there was no rate: above every limit, so that none is widened. */
export const UNKNOWN_VALUE = `1${"0".repeat(AMOUNT_DIGITS_MAX)}`;

/** What was requested before in a window, without this payment. */
export interface Total {
  readonly amount: Amount;
  readonly count: number;
}

export interface Facts<R extends Rule = Rule> {
  readonly payment: Payment;
  /** Its amount, if it was read already. */
  readonly paid?: Amount;
  /** Listed as a payee, and its waiting time is over. */
  readonly isPayee: boolean;
  totalOf(rule: R, windowMs: number): Total;
}

interface Judged<R extends Rule> extends Facts<R> {
  readonly paid: Amount;
}

export interface Verdict<R extends Rule = Rule> {
  readonly outcome: Outcome;
  /** Everything that matches, by policy_id. */
  readonly matching: readonly R[];
}

/** All matching rules apply, and the strictest outcome wins. */
export function judge<R extends Rule>(rules: readonly R[], facts: Facts<R>): Verdict<R> {
  const judged = { ...facts, paid: facts.paid ?? amountOf(facts.payment.amount) };
  const matching = rules
    .filter((rule) => covers(rule, facts.payment) && matches(rule, judged))
    .toSorted((a, b) => a.id - b.id);
  const isAny = (outcome: RuleOutcome) => matching.some((rule) => rule.outcome === outcome);
  return { outcome: isAny("refuse") ? "refuse" : isAny("approve") ? "approve" : "allow", matching };
}

/** The rule that a refusal names. */
export function refusingRule({ matching }: Verdict): Rule | undefined {
  return matching.find(({ outcome }) => outcome === "refuse");
}

/** The most people that any rule wants, and the shortest time that any gives them. */
export function approvalTerms({ matching }: Verdict): { needed: number; expiresMs: number } {
  const rules = matching.filter(({ outcome }) => outcome === "approve");
  return {
    needed: Math.max(0, ...rules.map(({ approvals }) => approvals)),
    expiresMs: Math.min(...rules.map(({ expiresMs }) => expiresMs)),
  };
}

/** One symbol is the same currency on every network, however each of them spells it. */
export function covers(scope: Scope, payment: Payment): boolean {
  return isAnyOr(scope.accountId, payment.accountId) && isAnyOr(scope.keyId, payment.keyId) &&
    isAnyOr(scope.network, payment.network) &&
    (scope.currency === null || isSameSymbol(scope.currency, payment.currency));
}

function isAnyOr<T>(wanted: T | null, value: T): boolean {
  return wanted === null || wanted === value;
}

/** The total that a payment belongs to, among those of one rule. */
export function splitOf({ each }: Scope, { accountId, keyId, recipient }: Payment): string {
  if (each === null) return "";
  return { account: String(accountId), key: keyId, recipient }[each];
}

const TOTALS: Readonly<Partial<Record<Condition, [windowMs: number, of: "amount" | "count"]>>> = {
  max_hour: [WINDOWS.hour, "amount"],
  max_day: [WINDOWS.day, "amount"],
  max_week: [WINDOWS.week, "amount"],
  max_count_hour: [WINDOWS.hour, "count"],
  max_count_day: [WINDOWS.day, "count"],
};

/** Undefined: the rule looks at one payment only. */
export function windowOf({ condition }: Pick<Rule, "condition">): number | undefined {
  return TOTALS[condition]?.[0];
}

/** Whether the limit is an amount, of one currency. */
export function isAmountCondition(condition: Condition): boolean {
  return condition === "max_payment" || TOTALS[condition]?.[1] === "amount";
}

function matches<R extends Rule>(
  rule: R,
  { payment, paid, isPayee, totalOf }: Judged<R>,
): boolean {
  const { condition, cap } = rule;
  if (condition === "always") return true;
  if (condition === "only_payees") return !isPayee;
  const amount = amountIn(rule, payment);
  // Whether it is too much can't be known.
  if (amount === undefined && isAmountCondition(condition)) return true;
  const own = amount === payment.amount ? paid : amountOf(amount ?? "0");
  if (condition === "max_payment") return isAbove(own, cap);
  const [windowMs, of] = present(TOTALS[condition], "Every other condition has a window");
  const before = totalOf(rule, windowMs);
  if (of === "count") return before.count + 1 > Number(cap);
  return isAbove(before.amount.plus(own), cap);
}

/** Undefined: there is no rate. */
function amountIn({ quote = null }: Scope, payment: Payment): string | undefined {
  if (quote === null) return payment.amount;
  const noted = payment.values?.[quote];
  return noted === UNKNOWN_VALUE ? payment.valuesNow?.[quote] : noted ?? payment.valuesNow?.[quote];
}

/** A scope has one currency, so amounts need no name. */
function amountOf(text: string): Amount {
  return Amount.parse(text, "");
}

function isAbove(amount: Amount, cap: string | null): boolean {
  return Amount.ofSetting(cap ?? "0", "").isLessThan(amount);
}
