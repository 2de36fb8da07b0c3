import { zip } from "../../base/lists.ts";
import { Amount } from "../../domain/money/amount.ts";
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
  const { raws, decimals } = rawsOf(payments.map(({ counted }) => counted ?? "0"));
  const totals = zip(payments, raws).map(([{ payment, countedAtMs, counted }, raw]) => ({
    countedAtMs,
    split: covers(rule, payment) && counted !== null ? splitOf(rule, payment) : undefined,
    raw,
  }));
  return payments.slice(0, judgedMax).map((past, i) => {
    const { payment, isPayee, requestedAtMs } = past;
    const split = splitOf(rule, payment);
    const totalOf = (_: Rule, windowMs: number) => {
      const found = totals.slice(i + 1)
        .filter((one) => one.split === split && one.countedAtMs > requestedAtMs - windowMs);
      const raw = found.reduce((sum, one) => sum + one.raw, 0n);
      return { amount: Amount.fromRaw(raw, { asset: "", decimals }), count: found.length };
    };
    return { past, outcome: judge([rule], { payment, isPayee, totalOf }).outcome };
  });
}

/** As integers with the same decimals: each is in the totals of many payments. */
function rawsOf(texts: readonly string[]): { raws: bigint[]; decimals: number } {
  const decimals = Math.max(0, ...texts.map((text) => text.split(".")[1]?.length ?? 0));
  return { raws: texts.map((text) => Amount.parse(text, "").toRaw(decimals)), decimals };
}
