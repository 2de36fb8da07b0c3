import assert from "node:assert/strict";
import { cancelWithdrawal } from "../../../src/withdrawals/cancel.ts";
import { removePolicy, setPolicyActive } from "../../../src/policies/manage.ts";
import type { Condition } from "../../../src/policies/rules/rules.ts";
import { type Random, seededRandom } from "../../domain/random.ts";
import { makePolicy, makeRuled, OUTSIDE, type Ruled } from "./_ruled.ts";

/** `CPG_TEST_REQUESTS=10000` asks for as many. */
const REQUESTS = Number(Deno.env.get("CPG_TEST_REQUESTS") ?? 320);
const AT_ONCE = 64;
const HOUR_MS = 3_600_000;
const RECIPIENTS = [OUTSIDE, "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"];
const LIMITS = [
  { condition: "max_payment", hours: 0, caps: [6, 9] },
  { condition: "max_hour", hours: 1, caps: [40, 90, 150] },
  { condition: "max_day", hours: 24, caps: [150, 300] },
  { condition: "max_week", hours: 168, caps: [400, 900] },
  { condition: "max_count_hour", hours: 1, caps: [9, 25] },
  { condition: "max_count_day", hours: 24, caps: [40, 80] },
] as const satisfies readonly { condition: Condition; hours: number; caps: readonly number[] }[];

interface Limit {
  readonly id: number;
  readonly condition: Condition;
  readonly hours: number;
  readonly cap: number;
  readonly each: "recipient" | null;
  isActive: boolean;
}

interface Payment {
  readonly id: number;
  readonly amount: number;
  readonly to: string;
  readonly atMs: number;
}

Deno.test("64 random requests at once on three programs: no limit is exceeded, or too strict", async () => {
  await using ruled = await makeRuled({ balance: "1000000000" });
  const programs = [ruled.deps, await ruled.open(), await ruled.open()];
  const random = seededRandom(20);
  const { pick } = random;
  const limits: Limit[] = [];
  const answers = { paid: 0, refused: 0 };
  let open: Payment[] = [];
  for (let asked = 0; asked < REQUESTS; asked += AT_ONCE) {
    ruled.clock.ms += pick([1, 1000, HOUR_MS - 1, HOUR_MS, 5 * HOUR_MS, 24 * HOUR_MS]);
    await changeLimits(ruled, { limits, pick });
    const ended = new Set(open.filter(() => random.chance(0.1)).map(({ id }) => id));
    await Promise.all([...ended].map((id) => cancelWithdrawal(pick(programs), { id, actor: "t" })));
    open = open.filter(({ id }) => !ended.has(id));
    const wishes = Array.from({ length: AT_ONCE }, () => ({
      ...{ amount: pick([1, 2, 3, 5, 8]), to: pick(RECIPIENTS), on: pick(programs) },
    }));
    const made = await Promise.all(wishes.map(async ({ amount, to, on }) => {
      const answer = await ruled.request(String(amount), { to, on });
      if (typeof answer === "string") assert.equal(answer, "policy_refused");
      return { amount, to, atMs: ruled.clock.ms, id: typeof answer === "string" ? 0 : answer.id };
    }));
    const paid = made.filter(({ id }) => id > 0);
    open.push(...paid);
    for (const payment of paid) {
      const broken = limits.filter((limit) => isBroken(limit, { payment, open }));
      assert.deepEqual(broken, [], `paid ${payment.amount} beyond a limit`);
    }
    for (const payment of made.filter(({ id }) => id === 0)) {
      const isRight = limits.some((limit) =>
        isBroken(limit, { payment, open: [...open, payment] })
      );
      assert.ok(isRight, `refused ${payment.amount} within all limits`);
    }
    answers.paid += paid.length;
    answers.refused += AT_ONCE - paid.length;
  }
  assert.ok(Math.min(answers.paid, answers.refused) > REQUESTS / 10, JSON.stringify(answers));
});

/** One more limit, or one that is switched or removed. */
async function changeLimits(
  ruled: Ruled,
  { limits, pick }: { limits: Limit[]; pick: Random["pick"] },
): Promise<void> {
  const changed = limits.length < 3 ? undefined : pick([undefined, ...limits]);
  if (!changed) {
    const { condition, hours, caps } = pick(LIMITS);
    const cap = pick<number>(caps);
    const each = pick(["recipient", null] as const);
    const { id } = await makePolicy(ruled, { condition, cap: String(cap), each });
    limits.push({ id, condition, hours, cap, each, isActive: true });
  } else if (pick([true, false, false])) {
    await removePolicy(ruled.deps, { id: changed.id, actor: "test" });
    limits.splice(limits.indexOf(changed), 1);
  } else {
    changed.isActive = !changed.isActive;
    const { id, isActive } = changed;
    await setPolicyActive(ruled.deps, { id, isActive, actor: "test" });
  }
}

/** The limit in the plainest words, for a payment that is among the open ones. */
function isBroken(
  { condition, hours, cap, each, isActive }: Limit,
  { payment, open }: { payment: Payment; open: readonly Payment[] },
): boolean {
  if (!isActive) return false;
  if (condition === "max_payment") return payment.amount > cap;
  const counted = open.filter(({ to, atMs }) =>
    (each === null || to === payment.to) && payment.atMs - atMs < hours * HOUR_MS
  );
  if (condition.includes("count")) return counted.length > cap;
  return counted.reduce((sum, { amount }) => sum + amount, 0) > cap;
}
