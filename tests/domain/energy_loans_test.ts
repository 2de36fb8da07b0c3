import assert from "node:assert/strict";
import { type EnergyRate, STAKE_MIN_RAW, stakeFor } from "../../src/domain/energy.ts";
import { limitOf, type Total } from "../../src/sandbox/tron_node/resources.ts";
import {
  type EnergyNeed,
  type EnergyPlan,
  loansToTakeBack,
  planLoans,
} from "../../src/domain/energy_loans.ts";
import { seededRandom } from "../domain/random.ts";

const SEED = 20_261_130;
const TRX = STAKE_MIN_RAW;
const MAINNET: Total = { limit: 180_000_000_000n, weight: 19_000_000_000n };
/** What a sweep of USDT may use, with a fifth on top. */
const SWEEP = 77_142n;
const NOTHING = { limit: 0n, used: 0n };

function rateOf({ limit, weight }: Total): EnergyRate {
  return { energy: limit, stakedRaw: weight * TRX };
}

function planned(
  energy: bigint,
  { quota = NOTHING, lendableTrx = 100_000n, total = MAINNET } = {},
): EnergyPlan {
  const need = { address: "T", energy, quota };
  return planLoans([need], { lendableRaw: lendableTrx * TRX, rate: rateOf(total) })[0]!;
}

Deno.test("a sweep is lent the energy that its address lacks, in whole coins and half a percent more", () => {
  const lend = (trx: bigint) => ({ kind: "lend", amountRaw: trx * TRX });
  const rows: readonly [energy: bigint, limit: bigint, used: bigint, plan: object][] = [
    [SWEEP, 0n, 0n, lend(8_184n)],
    [SWEEP, SWEEP, 0n, { kind: "enough" }],
    [SWEEP, SWEEP + 5n, 5n, { kind: "enough" }],
    [SWEEP, SWEEP - 1n, 0n, lend(41n)],
    [SWEEP, 40_000n, 0n, lend(3_962n)],
    [SWEEP, 40_000n, 40_000n, lend(8_184n)],
    // It was taken back what gave the energy that it used.
    [SWEEP, 0n, 5_000n, lend(8_712n)],
    [1n, 0n, 0n, lend(1n)],
    [9n, 0n, 0n, lend(1n)],
    [0n, 0n, 0n, { kind: "enough" }],
    [0n, 0n, 1n, lend(1n)],
  ];
  for (const [energy, limit, used, plan] of rows) {
    assert.deepEqual(
      planned(energy, { quota: { limit, used } }),
      plan,
      `${energy} ${limit} ${used}`,
    );
  }
});

Deno.test("what can't be lent as a whole is burned as a whole", () => {
  assert.equal(planned(SWEEP, { lendableTrx: 8_184n }).kind, "lend");
  assert.equal(planned(SWEEP, { lendableTrx: 8_183n }).kind, "burn");
  assert.equal(planned(1n, { lendableTrx: 0n }).kind, "burn");
  assert.equal(planned(SWEEP, { total: { limit: 0n, weight: 1n } }).kind, "burn");
  assert.equal(planned(SWEEP, { total: { limit: 1n, weight: 0n } }).kind, "burn");
});

Deno.test("of all small numbers each is lent enough as the main net counts it, and never a coin too many", () => {
  const totals: readonly Total[] = [[1n, 1n], [3n, 1n], [1n, 3n], [7n, 5n], [250n, 9n], [2n, 100n]]
    .map(([limit, weight]) => ({ limit: limit!, weight: weight! }));
  let lent = 0;
  for (const total of totals) {
    const rate = rateOf(total);
    for (let energy = 0n; energy <= 30n; energy++) {
      for (let staked = 0n; staked <= 8n; staked++) {
        const limit = limitOf(staked * TRX, total);
        for (let used = 0n; used <= 12n; used++) {
          for (let lendable = 0n; lendable <= 40n; lendable++) {
            const quota = { limit, used };
            const plan = planned(energy, { quota, lendableTrx: lendable, total });
            const missing = energy - (limit - used);
            const label =
              `${energy} of ${limit}-${used}, ${lendable} TRX, ${total.limit}/${total.weight}`;
            assert.equal(plan.kind === "enough", missing <= 0n, label);
            if (plan.kind === "enough") continue;
            const least = stakeFor(missing, rate)!;
            assert.equal(plan.kind === "burn", least > lendable * TRX, label);
            if (plan.kind === "burn") continue;
            lent++;
            assert.equal(plan.amountRaw, least, label);
            assert.ok(plan.amountRaw >= TRX && plan.amountRaw % TRX === 0n, label);
            const after = limitOf(staked * TRX + plan.amountRaw, total);
            assert.ok(after - used >= energy, label);
          }
        }
      }
    }
  }
  assert.ok(lent > 100_000, String(lent));
});

Deno.test(`sweeps in turn are never lent more than there is, and each has its energy when it is used (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  const kinds = new Set<string>();
  for (let i = 0; i < 5_000; i++) {
    const total = {
      limit: BigInt(1 + random.below(2 ** 38)),
      weight: BigInt(1 + random.below(2 ** 36)),
    };
    const quotas = new Map(
      Array.from({ length: 1 + random.below(5) }, (_, n) => [`T${n}`, {
        stakedRaw: BigInt(random.below(2 ** 34)),
        used: BigInt(random.below(100_000)),
      }]),
    );
    const needs: EnergyNeed[] = Array.from({ length: random.below(12) }, () => {
      const address = `T${random.below(quotas.size)}`;
      const { stakedRaw, used } = quotas.get(address)!;
      return {
        address,
        energy: BigInt(random.below(200_000)),
        quota: { limit: limitOf(stakedRaw, total), used },
      };
    });
    const lendableRaw = BigInt(random.below(2 ** 40));
    const plans = planLoans(needs, { lendableRaw, rate: rateOf(total) });
    assert.equal(plans.length, needs.length);
    let leftRaw = lendableRaw;
    for (const [n, plan] of plans.entries()) {
      kinds.add(plan.kind);
      const { address, energy } = needs[n]!;
      const account = quotas.get(address)!;
      if (plan.kind === "lend") {
        assert.ok(plan.amountRaw >= TRX && plan.amountRaw % TRX === 0n);
        leftRaw -= plan.amountRaw;
        assert.ok(leftRaw >= 0n, `${i}: more is lent than there is`);
        account.stakedRaw += plan.amountRaw;
      }
      const free = limitOf(account.stakedRaw, total) - account.used;
      if (plan.kind !== "burn") assert.ok(free >= energy, `${i}: ${free} for ${energy}`);
      const taken = free < 0n ? 0n : free < energy ? free : energy;
      account.used += taken;
    }
  }
  assert.deepEqual([...kinds].toSorted(), ["burn", "enough", "lend"]);
});

Deno.test("two sweeps of one address share what it has and what it is lent", () => {
  const need = { address: "A", energy: SWEEP, quota: { limit: 100_000n, used: 0n } };
  const plans = planLoans([need, need, { ...need, address: "B" }], {
    lendableRaw: 100_000n * TRX,
    rate: rateOf(MAINNET),
  });
  const missing = stakeFor(2n * SWEEP - 100_000n + SWEEP / 200n, rateOf(MAINNET))!;
  assert.deepEqual(plans, [{ kind: "enough" }, { kind: "lend", amountRaw: missing }, {
    kind: "enough",
  }]);
});

Deno.test("a loan is enough although others stake half a percent more before it is used", () => {
  const plan = planned(SWEEP);
  assert.ok(plan.kind === "lend");
  const later = { ...MAINNET, weight: MAINNET.weight * 1_005n / 1_000n };
  assert.ok(limitOf(plan.amountRaw, later) >= SWEEP);
});

Deno.test("what nobody's sweep needs is taken back, and only from deposit addresses", () => {
  const [deposit, busy, hot, stranger] = ["deposit", "busy", "hot", "stranger"];
  const everybody = [deposit, busy, hot, stranger];
  for (let chosen = 0; chosen < 2 ** everybody.length; chosen++) {
    const lentTo = everybody.filter((_, bit) => chosen & 2 ** bit);
    const loans = lentTo.map((to, i) => ({ to, amountRaw: BigInt(i + 1) * TRX }));
    const back = loansToTakeBack(loans, {
      depositAddresses: new Set([deposit, busy, "empty"]),
      inProgress: new Set([busy, hot]),
    });
    assert.deepEqual(back, loans.filter(({ to }) => to === deposit), lentTo.join());
  }
  const none = loansToTakeBack([{ to: deposit, amountRaw: 0n }], {
    depositAddresses: new Set([deposit]),
    inProgress: new Set(),
  });
  assert.deepEqual(none, []);
});
