import assert from "node:assert/strict";
import { Transaction } from "bitcoinjs-lib";
import {
  type Change,
  chooseCoins,
  INPUTS_MAX,
  type Plan,
  type WalletCoin,
} from "../../../../src/chains/bitcoin/coins/choose.ts";
import {
  type Coin,
  feeAt,
  type Payment,
  sumOf,
  virtualSize,
} from "../../../../src/chains/bitcoin/coins/size.ts";
import { type Random, seededRandom } from "../../../domain/random.ts";

const SCRIPTS = {
  p2pkh: `76a914${"11".repeat(20)}88ac`,
  p2sh: `a914${"22".repeat(20)}87`,
  p2wpkh: `0014${"33".repeat(20)}`,
  p2wsh: `0020${"44".repeat(32)}`,
  p2tr: `5120${"55".repeat(32)}`,
};
const OWN = `0014${"99".repeat(20)}`;
const CHANGE: Change = { script: OWN, dustRaw: 294n, coinsWanted: 1, partMinRaw: 1_000_000n };

function coin(valueRaw: bigint, vout = 0, isConfirmed = true): WalletCoin {
  return { txid: "ab".repeat(32), vout, valueRaw, isConfirmed };
}

/** What an independent library makes of its size, with the longest signatures. */
function sizeOf(inputs: readonly Coin[], outputs: readonly Payment[]): number {
  const transaction = new Transaction();
  for (const [i, { txid, vout }] of inputs.entries()) {
    transaction.addInput(Uint8Array.fromHex(txid).reverse(), vout);
    transaction.setWitness(i, [new Uint8Array(72), new Uint8Array(33)]);
  }
  for (const { script, valueRaw } of outputs) {
    transaction.addOutput(Uint8Array.fromHex(script), valueRaw);
  }
  return transaction.virtualSize();
}

function checkPlan(plan: Plan, rateRaw: bigint, change = CHANGE): void {
  const outputs = [...plan.payments, ...plan.change];
  assert.equal(sumOf(plan.inputs), sumOf(outputs) + plan.feeRaw);
  assert.equal(plan.vsize, sizeOf(plan.inputs, outputs));
  const leastRaw = feeAt(rateRaw, plan.vsize);
  assert.ok(plan.feeRaw >= leastRaw, "the fee pays for the size");
  const above = plan.feeRaw - leastRaw;
  const changeFee = feeAt(rateRaw, 32);
  const isDustOnly = plan.change.length === 0 ? above < change.dustRaw + changeFee : above === 0n;
  assert.ok(isDustOnly, `${above} more than needed`);
  for (const { valueRaw, script } of plan.change) {
    assert.ok(valueRaw >= change.dustRaw, `${valueRaw} is dust`);
    assert.equal(script, change.script);
  }
  assert.equal(new Set(plan.inputs.map(({ txid, vout }) => txid + vout)).size, plan.inputs.length);
}

function chosen(wanted: Parameters<typeof chooseCoins<WalletCoin>>[0]): Plan<WalletCoin> {
  const plan = chooseCoins(wanted);
  assert.ok(plan.kind === "planned", plan.kind);
  checkPlan(plan, wanted.rateRaw, wanted.change);
  return plan;
}

Deno.test("the size of a transaction is known before it is signed, whatever it pays", () => {
  for (const inputs of [1, 2, 3, 252, 253, 300]) {
    const coins = Array.from({ length: inputs }, (_, i) => coin(1n, i));
    for (const outputs of [[], ...Object.values(SCRIPTS).map((script) => [script])]) {
      for (const count of [1, 2, 5, 252, 253]) {
        const payments = Array.from(
          { length: count },
          () => outputs.map((script) => ({ script, valueRaw: 1n })),
        ).flat();
        if (payments.length === 0) continue;
        assert.equal(virtualSize({ inputs, outputs: payments }), sizeOf(coins, payments));
      }
    }
  }
});

Deno.test("the smallest coin that suffices alone pays, and the rest goes back", () => {
  const coins = [10_000n, 200_000n, 60_000n, 90_000n].map((value, i) => coin(value, i));
  const payments = [{ script: SCRIPTS.p2wpkh, valueRaw: 50_000n }];
  const plan = chosen({ coins, payments, change: CHANGE, rateRaw: 2_000n });
  assert.deepEqual(plan.inputs, [coin(60_000n, 2)]);
  assert.deepEqual([plan.vsize, plan.feeRaw], [141, 282n]);
  assert.deepEqual(plan.change, [{ script: OWN, valueRaw: 9_718n }]);
});

Deno.test("no coin alone suffices: as few as possible do, the largest first", () => {
  const coins = [10_000n, 20_000n, 60_000n, 90_000n].map((value, i) => coin(value, i));
  const payments = [{ script: SCRIPTS.p2tr, valueRaw: 140_000n }];
  const plan = chosen({ coins, payments, change: CHANGE, rateRaw: 1_000n });
  assert.deepEqual(plan.inputs.map(({ valueRaw }) => valueRaw), [90_000n, 60_000n]);
});

Deno.test("change that would be dust is left to the fee, one base unit more goes back", () => {
  const payments = [{ script: SCRIPTS.p2wpkh, valueRaw: 50_000n }];
  const withChange = 50_000n + feeAt(1_000n, 141);
  const at = (valueRaw: bigint) =>
    chosen({ coins: [coin(valueRaw)], payments, change: CHANGE, rateRaw: 1_000n });
  assert.deepEqual(at(withChange + 293n).change, []);
  assert.deepEqual(at(withChange + 293n).feeRaw, 141n + 293n);
  assert.deepEqual(at(withChange + 294n).change, [{ script: OWN, valueRaw: 294n }]);
});

Deno.test("exactly enough is enough, and one base unit less is one short", () => {
  const payments = [{ script: SCRIPTS.p2sh, valueRaw: 50_000n }];
  const fee = feeAt(1_000n, virtualSize({ inputs: 1, outputs: payments }));
  const ask = (valueRaw: bigint) =>
    chooseCoins({ coins: [coin(valueRaw)], payments, change: CHANGE, rateRaw: 1_000n });
  assert.equal(ask(50_000n + fee).kind, "planned");
  assert.deepEqual(ask(50_000n + fee - 1n), { kind: "short", missingRaw: 1n });
  assert.equal(chooseCoins({ coins: [], payments, change: CHANGE, rateRaw: 1_000n }).kind, "short");
});

Deno.test("unconfirmed coins are touched only where the others don't do", () => {
  const payments = [{ script: SCRIPTS.p2wpkh, valueRaw: 50_000n }];
  const change = CHANGE;
  const ours = [coin(40_000n, 0), coin(30_000n, 1), coin(60_000n, 2, false)];
  const plan = chosen({ coins: ours, payments, change, rateRaw: 1_000n });
  assert.ok(plan.inputs.every(({ isConfirmed }) => isConfirmed));
  const less = chosen({ coins: ours.slice(1), payments, change, rateRaw: 1_000n });
  assert.deepEqual(less.inputs, [coin(60_000n, 2, false)]);
});

Deno.test("change is split while a wallet has few coins worth using, and into such parts", () => {
  const payments = [{ script: SCRIPTS.p2wpkh, valueRaw: 1_400_000n }];
  const split = (valueRaw: bigint, others: number, eachRaw = CHANGE.partMinRaw) => {
    const change = { ...CHANGE, coinsWanted: 8 };
    const more = Array.from({ length: others }, (_, i) => coin(eachRaw, i + 1));
    return chosen({ coins: [coin(valueRaw), ...more], payments, change, rateRaw: 1_000n }).change;
  };
  assert.equal(split(100_000_000n, 0).length, 4);
  assert.equal(split(100_000_000n, 6).length, 2);
  assert.equal(split(100_000_000n, 8).length, 1);
  assert.equal(
    split(100_000_000n, 8, CHANGE.partMinRaw - 1n).length,
    4,
    "Others may have sent them",
  );
  assert.equal(split(4_450_000n, 0).length, 3);
  assert.equal(split(3_250_000n, 0).length, 1);
});

Deno.test("more inputs or outputs than nodes pass on are none", () => {
  const coins = Array.from({ length: INPUTS_MAX + 50 }, (_, i) => coin(10_000n, i));
  const ask = (valueRaw: bigint) =>
    chooseCoins({
      ...{ coins, change: CHANGE, rateRaw: 1_000n },
      payments: [{ script: SCRIPTS.p2wpkh, valueRaw }],
    });
  assert.equal(ask(3_000_000n).kind, "planned");
  assert.equal(ask(3_500_000n).kind, "too_large");
  assert.equal(ask(4_000_000n).kind, "short");
  const many = (count: number) =>
    chooseCoins({
      ...{ coins: [coin(10_000_000n)], change: CHANGE, rateRaw: 1_000n },
      payments: Array.from({ length: count }, () => ({ script: SCRIPTS.p2pkh, valueRaw: 600n })),
    });
  assert.deepEqual([many(1_400).kind, many(1_500).kind], ["planned", "too_large"]);
});

/** Of any size, many near what matters: dust, fees, and each other. */
function drawValue(random: Random): bigint {
  return BigInt(1 + random.below(10 ** (1 + random.below(9))));
}

function checkShort(coins: readonly WalletCoin[], payments: readonly Payment[], rateRaw: bigint) {
  // In no number of them, the largest first, is there enough.
  const sorted = coins.toSorted((a, b) => Number(b.valueRaw - a.valueRaw));
  for (let count = 1; count <= sorted.length; count++) {
    const some = sorted.slice(0, count);
    const fee = feeAt(rateRaw, virtualSize({ inputs: count, outputs: payments }));
    const bound = rateRaw / 1_000n + 1n; // What is too small to be useful may be left out.
    assert.ok(sumOf(some) < sumOf(payments) + fee + bound, `${count} would have done`);
  }
}

Deno.test("20,000 random wallets: every plan adds up, and none is refused that could pay", () => {
  const random = seededRandom(84);
  const kinds = new Map<string, number>();
  for (let round = 0; round < 20_000; round++) {
    const coins = Array.from(
      { length: random.below(12) },
      (_, i) => coin(drawValue(random), i, random.chance(0.7)),
    );
    const payments = Array.from({ length: 1 + random.below(4) }, () => ({
      script: random.pick(Object.values(SCRIPTS)),
      valueRaw: drawValue(random),
    }));
    const rateRaw = BigInt(random.pick([100, 999, 1_000, 2_345, 50_000, 1_000_000]));
    const dustRaw = random.pick([294n, 2_940n]);
    const partMinRaw = dustRaw + BigInt(random.below(100_000));
    const change = { script: OWN, dustRaw, coinsWanted: random.below(10), partMinRaw };
    const plan = chooseCoins({ coins, payments, change, rateRaw });
    if (plan.kind === "planned") {
      checkPlan(plan, rateRaw, change);
      assert.deepEqual(plan.payments, payments);
      if (plan.change.length > 1) {
        assert.ok(plan.change.every(({ valueRaw }) => valueRaw >= partMinRaw));
        const left = coins.filter((one) =>
          one.valueRaw >= partMinRaw && !plan.inputs.includes(one)
        );
        assert.ok(left.length + plan.change.length <= change.coinsWanted);
      }
    } else if (plan.kind === "short") {
      assert.ok(plan.missingRaw > 0n);
      checkShort(coins, payments, rateRaw);
    }
    kinds.set(plan.kind, (kinds.get(plan.kind) ?? 0) + 1);
  }
  assert.ok(kinds.get("planned")! > 3_000 && kinds.get("short")! > 3_000, `${[...kinds]}`);
});
