import assert from "node:assert/strict";
import { Amount } from "../../../src/domain/money/amount.ts";
import {
  type Edge,
  outsideOf,
  spansAfter,
  spansOf,
  totalAfter,
} from "../../../src/policies/rules/meter.ts";
import {
  covers,
  judge,
  type Payment,
  type Rule,
  splitOf,
  type Total,
  windowOf,
} from "../../../src/policies/rules/rules.ts";
import { seededRandom } from "../random.ts";

/** A meter as the store keeps it, in memory: what was added, marks, and what was taken out. */
class MemoryMeter {
  now = { added: "0", addedCount: 0, removed: "0", removedCount: 0 };
  readonly marks: { atMs: number; added: string; addedCount: number }[] = [];
  readonly removals = new Map<string, { amount: string; count: number }>();

  add(amount: bigint, atMs: number): void {
    const { added, addedCount } = this.now;
    if (this.marks.at(-1)?.atMs !== atMs) this.marks.push({ atMs, added, addedCount });
    this.now = { ...this.now, added: String(BigInt(added) + amount), addedCount: addedCount + 1 };
  }

  remove(amount: bigint, atMs: number): void {
    const { removed, removedCount } = this.now;
    const next = { removed: String(BigInt(removed) + amount), removedCount: removedCount + 1 };
    this.now = { ...this.now, ...next };
    for (const { spanMs, startsAtMs } of spansOf(atMs)) {
      const name = `${spanMs}/${startsAtMs}`;
      const sum = this.removals.get(name) ?? { amount: "0", count: 0 };
      const more = { amount: String(BigInt(sum.amount) + amount), count: sum.count + 1 };
      this.removals.set(name, more);
    }
  }

  edge(edgeMs: number): Edge {
    const mark = this.marks.find(({ atMs }) => atMs > edgeMs);
    const { added, addedCount, removed, removedCount } = this.now;
    let [amount, count] = [0n, 0];
    for (const { spanMs, fromMs, untilMs } of spansAfter(edgeMs)) {
      for (const [name, sum] of this.removals) {
        const [span, start] = name.split("/").map(Number) as [number, number];
        if (span !== spanMs || start < fromMs || start >= untilMs) continue;
        amount += BigInt(sum.amount);
        count += sum.count;
      }
    }
    return {
      before: mark ? total(mark.added, mark.addedCount) : total(added, addedCount),
      removedAfter: total(String(amount), count),
      removed: total(removed, removedCount),
    };
  }

  get total(): Total {
    const { added, addedCount, removed, removedCount } = this.now;
    return total(String(BigInt(added) - BigInt(removed)), addedCount - removedCount);
  }
}

function total(amount: string, count: number): Total {
  return { amount: Amount.parse(amount, ""), count };
}

interface Made extends Payment {
  readonly raw: bigint;
  atMs: number;
  isOver: boolean;
}

const PICK = {
  conditions: ["max_payment", "max_hour", "max_day", "max_week", "max_count_hour", "max_count_day"],
  outcomes: ["refuse", "approve"],
  each: [null, null, "account", "key", "recipient"],
} as const;

/** One sequence of payments, failures, rule changes and clock steps; returns how many were judged. */
export function playSequence(seed: number): number {
  const { below, pick } = seededRandom(seed);
  const rules: Rule[] = [];
  const meters = new Map<string, MemoryMeter>();
  const made: Made[] = [];
  let nowMs = 1_767_225_600_000 + below(86_400_000);
  let judged = 0;
  const meterOf = (rule: Rule, payment: Payment) => {
    const name = `${rule.id}/${splitOf(rule, payment)}`;
    const meter = meters.get(name) ?? new MemoryMeter();
    meters.set(name, meter);
    return meter;
  };
  const countFor = (rule: Rule, payment: Made) => {
    if (covers(rule, payment)) meterOf(rule, payment).add(payment.raw, payment.atMs);
  };
  const steps: (() => void)[] = [
    () => {
      const condition = pick(PICK.conditions);
      const rule: Rule = {
        id: rules.length + 1,
        label: `rule ${rules.length + 1}`,
        accountId: pick([null, 1, 2]),
        keyId: pick([null, null, "k1"]),
        network: null,
        currency: "USDT",
        each: pick(PICK.each),
        condition,
        cap: String(condition.includes("count") ? 1 + below(4) : pick([5, 20, 50])),
        outcome: pick(PICK.outcomes),
        approvals: 1,
        expiresMs: 1,
      };
      rules.push(rule);
      const open = made.filter((one) => !one.isOver).toSorted((a, b) => a.atMs - b.atMs);
      for (const payment of open) countFor(rule, payment);
    },
    () =>
      void (nowMs += pick([1, 1_000, 3_599_999, 3_600_000, 43_200_000, 86_400_000, 300_000_000])),
    () => end(pick([...made, undefined])),
    () => move(pick([...made, undefined])),
    pay,
    pay,
    pay,
  ];
  function end(payment: Made | undefined): void {
    if (!payment || payment.isOver) return;
    payment.isOver = true;
    for (const rule of rules) {
      if (covers(rule, payment)) meterOf(rule, payment).remove(payment.raw, payment.atMs);
    }
  }
  /** Approved: it counts from now. */
  function move(payment: Made | undefined): void {
    if (!payment || payment.isOver) return;
    end(payment);
    payment.isOver = false;
    payment.atMs = nowMs;
    for (const rule of rules) countFor(rule, payment);
  }
  function pay(): void {
    const raw = BigInt(pick([1, 3, 5, 10, 21]));
    const payment: Made = {
      ...{ accountId: pick([1, 2]), keyId: pick(["k1", "k2"]), network: "ETH", currency: "USDT" },
      ...{ recipient: pick(["a", "b"]), amount: String(raw), raw, atMs: nowMs, isOver: false },
    };
    const { outcome, matching } = judge(rules, {
      payment,
      isPayee: false,
      totalOf: (rule, windowMs) => {
        const meter = meterOf(rule, payment);
        return totalAfter(meter.total, outsideOf(meter.edge(nowMs - windowMs)));
      },
    });
    const expected = rules.filter((rule) => isBroken(rule, { payment, made, nowMs }));
    assert.deepEqual(matching.map(({ id }) => id), expected.map(({ id }) => id), `seed ${seed}`);
    judged++;
    if (outcome === "refuse") return;
    made.push(payment);
    for (const rule of rules) countFor(rule, payment);
  }
  for (let step = 0; step < 14; step++) pick(steps)();
  return judged;
}

/** The rule in the plainest words: look at every payment there ever was. */
function isBroken(
  rule: Rule,
  { payment, made, nowMs }: { payment: Made; made: readonly Made[]; nowMs: number },
): boolean {
  const isAbout = (one: Made) =>
    (rule.accountId ?? one.accountId) === one.accountId && (rule.keyId ?? one.keyId) === one.keyId;
  if (!isAbout(payment)) return false;
  if (rule.condition === "max_payment") return payment.raw > BigInt(rule.cap!);
  const isSame = (one: Made) =>
    rule.each === "account"
      ? one.accountId === payment.accountId
      : rule.each === "key"
      ? one.keyId === payment.keyId
      : rule.each === null || one.recipient === payment.recipient;
  const hours = { hour: 1, day: 24, week: 168 }[rule.condition.split("_").at(-1)!]!;
  assert.equal(windowOf(rule), hours * 3_600_000);
  const counted = made.filter((one) =>
    !one.isOver && isAbout(one) && isSame(one) && nowMs - one.atMs < hours * 3_600_000
  );
  if (rule.condition.includes("count")) return counted.length >= Number(rule.cap);
  const total = counted.reduce((sum, one) => sum + one.raw, payment.raw);
  return total > BigInt(rule.cap!);
}
