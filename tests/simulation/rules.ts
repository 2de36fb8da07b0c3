import type { Random } from "./random.ts";
import { type MerchantBooks, shown, units, type Withdrawal } from "./books.ts";

/** What an operator said that payouts of one account may come to, and when. */
export interface Rule {
  readonly id: number;
  readonly account: string;
  readonly network: string;
  readonly currency: string;
  readonly of: "payment" | "hour";
  readonly limits: LimitSpan[];
}

/** From the first moment at which it may have applied to the last one. */
interface LimitSpan {
  readonly amount: string;
  readonly fromMs: number;
  untilMs: number;
}

const HOUR_MS = 3_600_000;
/** A running server applies a rule "within a second". */
const APPLIED_WITHIN_MS = 1_000;

export function newRule(
  rule: Omit<Rule, "limits">,
  limit: { amount: string; nowMs: number },
): Rule {
  const { amount, nowMs: fromMs } = limit;
  return { ...rule, limits: [{ amount, fromMs, untilMs: Infinity }] };
}

/** Until the change is confirmed either limit may apply. */
export function changeRule({ limits }: Rule, limit: { amount: string; nowMs: number }) {
  const before = limits.at(-1)!;
  const { amount, nowMs: fromMs } = limit;
  limits.push({ amount, fromMs, untilMs: Infinity });
  return {
    done: (nowMs: number) => void (before.untilMs = nowMs + APPLIED_WITHIN_MS),
  };
}

/** No payout was accepted that a rule forbade, whatever happened meanwhile. */
export function auditRules(
  rules: readonly Rule[],
  { merchant, withdrawals }: {
    merchant: MerchantBooks;
    withdrawals: readonly Withdrawal[];
  },
): string[] {
  return rules.filter(({ account }) => account === merchant.account).flatMap((rule) => {
    const rows = withdrawals
      .filter((row) => row.network === rule.network && row.currency === rule.currency)
      // What ended unpaid is taken out again.
      .filter(({ status }) => status !== "failed" && status !== "cancelled")
      // Nobody knows any more when it was asked for.
      .filter(({ client_reference }) => !merchant.adopted.has(client_reference ?? ""))
      .map(({ id, amount, requested_at: at }) => ({
        id,
        sum: units(amount),
        atMs: Date.parse(at),
      }));
    return rows.flatMap(({ id, sum: own, atMs }) => {
      const most = rule.limits.filter(({ fromMs, untilMs }) => fromMs <= atMs && atMs <= untilMs)
        .map(({ amount }) => units(amount))
        .reduce((a, b) => a > b ? a : b, -1n);
      // Before the rule was there.
      if (most < 0n) return [];
      const window = rows.filter((one) =>
        one.atMs > atMs - HOUR_MS && (one.atMs < atMs || (one.atMs === atMs && one.id <= id))
      );
      const sum = rule.of === "payment" ? own : window.reduce((all, one) => all + one.sum, 0n);
      if (sum <= most) return [];
      const what = `${shown(sum)} ${rule.currency} with payout ${id}`;
      return [`rule ${rule.id} allows ${shown(most)} a ${rule.of}, and it came to ${what}`];
    });
  });
}

export function limitOf(of: Rule["of"], random: Random): string {
  return String(of === "payment" ? random.between(15, 40) : random.between(60, 200));
}
