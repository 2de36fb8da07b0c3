import { Amount } from "../money/amount.ts";
import { sumOf } from "./meter.ts";
import { covers, judge, type Payment, type Rule, splitOf, type Verdict } from "./rules.ts";

/** A payment that was requested before there was the rule. */
export interface PastPayment {
  readonly payment: Payment;
  readonly requestedAtMs: number;
  /** The later of its request and its last approval. */
  readonly countedAtMs: number;
  /** What it adds to a total; null if it ended unpaid. */
  readonly counted: string | null;
  /** Whether the recipient was a payee that could be used. */
  readonly isPayee: boolean;
}

export interface Replayed<P extends PastPayment> {
  readonly past: P;
  readonly outcome: Verdict["outcome"];
}

/** What a rule alone would have said to the newest of these payments, which come first. */
export function replay<P extends PastPayment>(
  rule: Rule,
  payments: readonly P[],
  { judgedMax }: { judgedMax: number },
): Replayed<P>[] {
  const totals = payments.map(({ payment, countedAtMs, counted }) => ({
    countedAtMs,
    split: covers(rule, payment) && counted !== null ? splitOf(rule, payment) : undefined,
    total: { amount: Amount.parse(counted ?? "0", ""), count: 1 },
  }));
  return payments.slice(0, judgedMax).map((past, i) => {
    const { payment, isPayee, requestedAtMs } = past;
    const split = splitOf(rule, payment);
    const totalOf = (_: Rule, windowMs: number) =>
      sumOf(
        totals.slice(i + 1)
          .filter((one) => one.split === split && one.countedAtMs > requestedAtMs - windowMs)
          .map(({ total }) => total),
      );
    return { past, outcome: judge([rule], { payment, isPayee, totalOf }).outcome };
  });
}
