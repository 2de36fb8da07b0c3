import assert from "node:assert/strict";
import { setAccount } from "../../../src/accounts/set_account.ts";
import { createChains } from "../../../src/chains/registry.ts";
import { deployCollector, planDeployment } from "../../../src/collectors/deploy.ts";
import { addUpCosts } from "../../../src/costs/add_up.ts";
import { costsOfMonth } from "../../../src/costs/of_month.ts";
import { noteCalls } from "../../../src/costs/note_calls.ts";
import { findNetwork } from "../../../src/books/find.ts";
import { monthOf } from "../../../src/domain/money/period.ts";
import { nodeCalls } from "../../../src/costs/reads.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { prune } from "../../../src/upkeep/prune.ts";
import { CostHours } from "../../../src/costs/table.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import type { Contract } from "../../support/nodes/contracts.ts";
import { ETHER } from "../../support/payers.ts";
import { showFigure } from "../../support/show_figure.ts";
import { signedRows } from "../../support/signed_rows.ts";
import {
  assertNoFaults,
  fundGasWallet,
  payIn,
  RECEIVER,
  startSweepingWorld,
  type SweepingWorld,
  sweepsOf,
} from "../../support/sweeping.ts";
import { allocate } from "../../support/views.ts";

const PAID = 5_000_000n;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const STEP_MS = 700_000;

interface Scene extends AsyncDisposable {
  readonly anvil: Anvil;
  readonly world: SweepingWorld;
  readonly token: Contract;
  /** Runs so many rounds from this moment on, each far enough from the one before. */
  rounds(fromMs: number, times: number): Promise<void>;
  pay(customers: { tokens?: readonly number[]; coins?: readonly number[] }): Promise<void>;
  costs(month: string): Promise<Awaited<ReturnType<typeof costsOfMonth>>>;
}

async function startScene(): Promise<Scene> {
  const anvil = await startAnvil({ args: ["--hardfork", "prague"] });
  const world = await startSweepingWorld({ anvil });
  const { deps, merchant: { api } } = world;
  const token = await world.addToken();
  await fundGasWallet(world);
  return {
    ...{ anvil, world, token },
    rounds: async (fromMs, times) => {
      for (let i = 0; i < times; i++) {
        await anvil.mine(3);
        await world.round({ aheadMs: fromMs + i * STEP_MS - Date.now() });
      }
    },
    pay: async ({ tokens = [], coins = [] }) => {
      for (const n of tokens) {
        const { address: to } = await allocate(api, { currency: "USDT", user: `payer ${n}` });
        await payIn(world, { to, raw: PAID, token });
      }
      for (const n of coins) {
        const { address: to } = await allocate(api, { currency: "ETH", user: `coins ${n}` });
        await payIn(world, { to, raw: ETHER });
      }
    },
    costs: async (month) =>
      await costsOfMonth(deps.db, {
        network: await findNetwork(deps, "ETH"),
        month,
        nowMs: Date.now(),
      }),
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      await anvil[Symbol.asyncDispose]();
    },
  };
}

/** The middle of a month after this one, so that no test meets the end of one by chance. */
function middleOf(months: number): { month: string; atMs: number } {
  const month = monthOf(Date.now(), -months);
  return { month, atMs: Date.parse(`${month}-15T12:00:00Z`) };
}

/** What the chain says was paid, by the transactions of the books. */
async function paidBy(anvil: Anvil, hashes: readonly string[]): Promise<bigint> {
  const receipts = await Promise.all(
    hashes.map((hash) => anvil.rpc("eth_getTransactionReceipt", [hash])),
  );
  return receipts.reduce(
    (sum, { gasUsed, effectiveGasPrice }) => sum + BigInt(gasUsed) * BigInt(effectiveGasPrice),
    0n,
  );
}

async function gasOf(anvil: Anvil, hashes: readonly string[]): Promise<bigint> {
  const receipts = await Promise.all(
    hashes.map((hash) => anvil.rpc("eth_getTransactionReceipt", [hash])),
  );
  return receipts.reduce((sum, { gasUsed }) => sum + BigInt(gasUsed), 0n);
}

const byCurrency = ({ currencies }: Awaited<ReturnType<Scene["costs"]>>) =>
  Object.fromEntries(currencies.map((one) => [one.currency, one]));

Deno.test("costs: single sweeps cost what the chain says, with their gas, and batches are shared exactly", async () => {
  await using scene = await startScene();
  const { world, anvil } = scene;
  const { deps, merchant: { accountId } } = world;
  const first = middleOf(1);
  await scene.pay({ tokens: [1, 2], coins: [1] });
  await scene.pay({ tokens: [1] });
  await scene.rounds(first.atMs, 5);
  assert.deepEqual((await sweepsOf(world)).map(({ state }) => state), Array(3).fill("done"));
  const single = await signedRows(deps);
  const currencyOf = new Map((await sweepsOf(world)).map(({ id, currency }) => [id, currency]));
  const hashesFor = (currency: string) =>
    single.filter(({ sweepId }) => currencyOf.get(sweepId!) === currency)
      .map(({ txHash }) => txHash);
  const alone = await scene.costs(first.month);
  const { USDT, ETH } = byCurrency(alone);
  assert.equal(USDT!.feeRaw, await paidBy(anvil, hashesFor("USDT")));
  assert.equal(ETH!.feeRaw, await paidBy(anvil, hashesFor("ETH")));
  assert.equal(hashesFor("USDT").length, 4, "two top-ups, two sweeps");
  assert.deepEqual([USDT!.sweeps, USDT!.deposits, ETH!.sweeps, ETH!.deposits], [2, 3, 1, 1]);
  assert.deepEqual([alone.upkeepRaw, alone.feeRaw], [0n, USDT!.feeRaw + ETH!.feeRaw]);
  assert.deepEqual([USDT!.other!.way, USDT!.other!.basis], ["batch", "documented"]);
  // Two first sweeps that share a transaction, by the gas of two that don't.
  assert.equal(
    USDT!.other!.feeRaw,
    USDT!.feeRaw * (28_200n + 2n * 30_300n) / (2n * 53_400n),
  );

  const plan = await planDeployment(deps, await findNetwork(deps, "ETH"));
  assert.equal(plan.kind, "new");
  if (plan.kind !== "new") return;
  await deployCollector(deps, { deploying: plan.deploying, actor: "test" });
  const deployed = (await signedRows(deps)).at(-1)!;
  await setAccount(deps, { id: accountId, change: { delegatesNative: true }, actor: "test" });
  await setNetwork(deps, { code: "ETH", change: { collect: "batch" }, actor: "test" });
  const second = middleOf(2);
  await scene.rounds(second.atMs, 1);
  await scene.pay({ tokens: [1, 3, 4, 5], coins: [1, 2, 3] });
  await scene.rounds(second.atMs + STEP_MS, 4);
  const batches = (await signedRows(deps)).slice(single.length + 1);
  assert.deepEqual(batches.map(({ paymentCount }) => paymentCount), [7]);
  assert.equal(batches[0]!.state, "settled");
  const together = await scene.costs(second.month);
  const feeRaw = await paidBy(anvil, batches.map(({ txHash }) => txHash));
  const { USDT: tokens, ETH: coins } = byCurrency(together);
  assert.equal(tokens!.feeRaw + coins!.feeRaw, feeRaw);
  for (const [one, count] of [[tokens!, 4n], [coins!, 3n]] as const) {
    const share = feeRaw * count / 7n;
    assert.ok(one.feeRaw - share <= 7n && share - one.feeRaw <= 7n, one.currency);
    assert.deepEqual([one.costs.map(({ way }) => way), one.other!.way], [["batch"], "single"]);
  }
  assert.deepEqual(tokens!.costs.map(({ firstSweeps }) => firstSweeps), [4], "each delegates");
  // It was signed today, by the clock of this machine.
  const today = await scene.costs(monthOf(deployed.createdAtMs));
  assert.deepEqual(
    [today.currencies, today.upkeepRaw],
    [[], await paidBy(anvil, [deployed.txHash])],
  );
  assertNoFaults(world);

  // Added up, it is the same; and what was added up is forgotten once it isn't final any more.
  const before = await Promise.all([first, second].map(({ month }) => scene.costs(month)));
  await addUpCosts(deps);
  assert.ok((await deps.db.rows(CostHours, "")).length >= 5);
  assert.deepEqual(
    await Promise.all([first, second].map(({ month }) => scene.costs(month))),
    before,
  );
  await deps.db.execute([{
    sql: "UPDATE signed_transactions SET state = 'open' WHERE id = ?",
    args: [batches[0]!.id],
  }]);
  assert.deepEqual((await scene.costs(second.month)).currencies, []);
  await addUpCosts(deps);
  assert.deepEqual((await scene.costs(second.month)).currencies, []);
  assert.deepEqual(await scene.costs(first.month), before[0]);
});

Deno.test("costs: what another mode would have cost is about what the same sweeps really cost in it", async (t) => {
  await using scene = await startScene();
  const { world, token } = scene;
  const { deps, merchant: { accountId } } = world;
  await token.send("mint", [RECEIVER, 1n]);
  const swept = async (months: number, groups: readonly (readonly number[])[]) => {
    const { month, atMs } = middleOf(months);
    const before = (await signedRows(deps)).length;
    for (const [n, tokens] of groups.entries()) {
      await scene.pay({ tokens });
      await scene.rounds(atMs + n * 5 * HOUR_MS, 5);
    }
    const signed = (await signedRows(deps)).slice(before);
    const gas = await gasOf(scene.anvil, signed.map(({ txHash }) => txHash));
    const { USDT } = byCurrency(await scene.costs(month));
    assert.equal(USDT!.sweeps, 6);
    // What is shown, in gas: prices of different months differ.
    const other = Number(USDT!.other!.feeRaw * gas / USDT!.feeRaw);
    return { gas: Number(gas), other, way: USDT!.other!.way, transactions: signed.length };
  };
  const alone = await swept(1, [[1, 2, 3, 4, 5, 6]]);
  const plan = await planDeployment(deps, await findNetwork(deps, "ETH"));
  assert.equal(plan.kind, "new");
  if (plan.kind !== "new") return;
  await deployCollector(deps, { deploying: plan.deploying, actor: "test" });
  await setAccount(deps, { id: accountId, change: { delegatesNative: true }, actor: "test" });
  await setNetwork(deps, { code: "ETH", change: { collect: "batch" }, actor: "test" });
  await scene.rounds(middleOf(2).atMs, 1);
  const six = await swept(3, [[11, 12, 13, 14, 15, 16]]);
  const pairs = await swept(4, [[21, 22], [23, 24], [25, 26]]);
  assert.deepEqual([alone.transactions, six.transactions, pairs.transactions], [12, 1, 3]);
  assert.deepEqual([alone.way, six.way, pairs.way], ["batch", "single", "single"]);
  await showFigure(
    t,
    `gas of six: ${alone.gas} alone (estimated ${pairs.other} from pairs, ${six.other} from a ` +
      `batch), ${six.gas} in a batch (estimated ${alone.other})`,
  );
  const isWithin = (percent: number, estimated: number, real: number) =>
    assert.ok(Math.abs(estimated / real - 1) < percent / 100, `${estimated} for ${real}`);
  isWithin(15, pairs.other, alone.gas);
  isWithin(15, six.other, alone.gas);
  isWithin(25, alone.other, six.gas);
});

Deno.test("costs: what lies on deposit addresses as gas is what the chain holds there", async () => {
  await using scene = await startScene();
  const { world, anvil } = scene;
  await scene.pay({ tokens: [1, 2], coins: [1] });
  const { month, atMs } = middleOf(1);
  await scene.rounds(atMs, 5);
  const rows = await world.deps.db.query("SELECT address FROM addresses WHERE purpose = 'deposit'");
  const held = await Promise.all(
    rows.map(({ address }) => anvil.rpc("eth_getBalance", [address, "latest"])),
  );
  const leftRaw = held.reduce((sum, raw) => sum + BigInt(raw), 0n);
  assert.ok(leftRaw > 0n);
  assert.equal((await scene.costs(month)).kept.toRaw(18), leftRaw);
});

Deno.test("costs: a month ends at midnight of UTC, and an empty one has nothing", async () => {
  await using scene = await startScene();
  const { world, anvil } = scene;
  const { month, atMs } = middleOf(2);
  const [before, empty] = [monthOf(atMs, 1), monthOf(atMs, 2)];
  const beginsMs = Date.parse(`${month}-01T00:00:00Z`);
  await scene.pay({ tokens: [1] });
  // The gas is sent in the last minute of one month, and the sweep signed in the next one.
  await scene.rounds(beginsMs - 60_000, 1);
  await scene.rounds(beginsMs, 4);
  const signed = await signedRows(world.deps);
  const gas = signed.filter(({ purpose }) => purpose === "gas_topup");
  assert.ok(gas.length === 1 && gas[0]!.createdAtMs < beginsMs, "the gas was sent before");
  const [last, now] = [byCurrency(await scene.costs(before)), byCurrency(await scene.costs(month))];
  assert.deepEqual([last.USDT!.sweeps, last.USDT!.deposits, last.USDT!.other], [0, 0, undefined]);
  assert.deepEqual([now.USDT!.sweeps, now.USDT!.deposits], [1, 1]);
  assert.equal(last.USDT!.feeRaw, await paidBy(anvil, [gas[0]!.txHash]));
  const sweeps = signed.filter(({ purpose }) => purpose === "sweep");
  assert.equal(now.USDT!.feeRaw, await paidBy(anvil, sweeps.map(({ txHash }) => txHash)));
  const { currencies, feeRaw, upkeepRaw, nodes, isBehind } = await scene.costs(empty);
  assert.deepEqual([currencies, feeRaw, upkeepRaw, nodes, isBehind], [[], 0n, 0n, [], false]);
});

Deno.test("costs: each call that a node answers is counted once, by day, and forgotten after 40 days", async () => {
  await using scene = await startScene();
  const { world: { deps }, anvil } = scene;
  const network = await findNetwork(deps, "ETH");
  const clock = { nowMs: () => atMs };
  let atMs = Date.parse("2026-03-31T23:59:00Z");
  const chains = createChains();
  const own = { ...deps, clock, chains };
  const host = new URL(anvil.url).host;
  const days = () => nodeCalls(deps.db, { network: "ETH", fromMs: 0, untilMs: 2 ** 52 });
  const dayMs = Date.parse("2026-03-31T00:00:00Z");
  const asked = async (height: number) => {
    await chains.of(network).refAt(height);
    await noteCalls(own);
  };
  await asked(1);
  const [{ calls: shown } = { calls: 0 }] = await days();
  await asked(1);
  const again = await days();
  assert.deepEqual(again, [{ network: "ETH", dayMs, host, calls: shown + 1 }]);
  await noteCalls(own);
  assert.deepEqual(await days(), again, "Nothing was asked");
  atMs += 120_000;
  await asked(2);
  assert.deepEqual(
    (await days()).map((row) => [row.dayMs, row.calls]),
    [[dayMs, shown + 1], [dayMs + DAY_MS, 1]],
  );
  const { nodes } = await costsOfMonth(deps.db, { network, month: "2026-03", nowMs: atMs });
  assert.deepEqual(nodes, [{ host, perDay: shown + 1, most: shown + 1, today: undefined }]);
  atMs = dayMs + 40 * DAY_MS;
  await prune(own);
  assert.equal((await days()).length, 2);
  atMs += 1;
  await prune(own);
  assert.deepEqual((await days()).map((row) => row.dayMs), [dayMs + DAY_MS]);
});
