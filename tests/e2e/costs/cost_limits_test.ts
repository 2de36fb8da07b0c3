import assert from "node:assert/strict";
import { parseTransaction } from "viem";
import { broadcastWithdrawal } from "../../../src/withdrawals/broadcast.ts";
import { createWithdrawal } from "../../../src/withdrawals/create.ts";
import { setAccount } from "../../../src/accounts/set_account.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { bumpWithdrawal, revokeWithdrawal } from "../../../src/withdrawals/push.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { BIDS_MAX } from "../../../src/transfers/rules/bids.ts";
import { NetworkCursors } from "../../../src/following/table.ts";
import { read } from "../../../src/store/engine/workspace.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { lyingPrices } from "../../support/nodes/bad_nodes.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { ETHER, STRANGER } from "../../support/payers.ts";
import {
  nonceOf,
  receivedBy,
  rejectedId,
  sentId,
  settleAll,
  startPayingWorld,
  statusOf,
  transfersOf,
} from "../../support/payouts.ts";
import { makeStage } from "../../support/stage.ts";
import { alertsOf, cursorOf, withdraw, withdrawalOf } from "../../support/views.ts";
import type { World } from "../../support/world.ts";

const GWEI = 10n ** 9n;
const ACTOR = "test";

const pay = (world: World) => withdraw(world.merchant.api, { to: STRANGER, amount: "1" });
const alertKinds = async ({ deps }: World) => (await alertsOf(deps)).map(({ kind }) => kind);

async function limitFee({ deps }: World, feeMax: string | null): Promise<void> {
  await setNetwork(deps, { code: "ETH", change: { feeMax }, actor: ACTOR });
}

/** The most that it may cost, read from its own bytes. */
function chargeOf({ raw }: { raw: string }): bigint {
  const { gas, gasPrice, maxFeePerGas } = parseTransaction(raw as `0x${string}`);
  return gas! * (maxFeePerGas ?? gasPrice!);
}

async function dearest(world: World): Promise<bigint> {
  return (await transfersOf(world)).map(chargeOf).reduce((a, b) => a > b ? a : b, 0n);
}

/** Fees are cached for a second. */
async function untilFeesFell(world: World): Promise<void> {
  await eventually(async () => {
    await world.round();
    return await alertKinds(world);
  }, { until: (kinds) => kinds.length === 0 });
}

Deno.test("a merchant who presses bump a hundred times pays for six bids at most", async () => {
  await using anvil = await startAnvil({ args: ["--no-mining"] });
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId } } = world;
  await setAccount(deps, { id: accountId, change: { mayPush: true }, actor: ACTOR });
  const { token } = await makeLogin(deps, { accountId });
  const id = sentId(await pay(world));
  const [first] = await transfersOf(world);
  for (let i = 0; i < 100; i++) {
    const form = { csrf: csrfOf(token) };
    const path = `/withdrawals/${id}/bump`;
    const answer = await dashboardFetch(url, { path, token, form });
    await answer.body?.cancel();
  }
  assert.ok((await transfersOf(world)).length <= BIDS_MAX);
  assert.ok(await dearest(world) <= 2n * chargeOf(first!));
});

Deno.test("a merchant may bid again only once the last bid had its chance, an operator at once", async () => {
  await using anvil = await startAnvil({ args: ["--no-mining"] });
  await using world = await startPayingWorld({ anvil });
  const { merchant: { accountId } } = world;
  let aheadMs = 0;
  const deps = { ...world.deps, clock: { nowMs: () => Date.now() + aheadMs } };
  await setAccount(deps, { id: accountId, change: { mayPush: true }, actor: ACTOR });
  const { user } = await makeLogin(deps, { accountId });
  const id = sentId(await pay(world));
  const bump = async (actor: string) => {
    await bumpWithdrawal(deps, { id, actor });
    return (await transfersOf(world)).length;
  };
  const merchant = `user:${user.id}`;
  assert.equal(await bump(merchant), 2);
  await setNetwork(deps, { code: "ETH", change: { pollIntervalMs: 60_000 }, actor: ACTOR });
  const early = /Give the last bid a chance first: try again in 2\d\d s/;
  await assert.rejects(bump(merchant), early);
  aheadMs += 240_000;
  assert.equal(await bump(merchant), 3);
  await assert.rejects(bump(merchant), early);
  const { user: operator } = await makeLogin(deps);
  assert.equal(await bump(`user:${operator.id}`), 4);
});

Deno.test("a merchant isn't an operator because somebody rewrote their role", async () => {
  await using anvil = await startAnvil({ args: ["--no-mining"] });
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { accountId } } = world;
  const { user } = await makeLogin(deps, { accountId });
  const id = sentId(await pay(world));
  const bump = () => bumpWithdrawal(deps, { id, actor: `user:${user.id}` });
  const isRefused = () => assert.rejects(bump(), { code: "replacing_not_allowed" });
  await isRefused();
  const sql = "UPDATE users SET role = 'operator', account_id = NULL WHERE id = ?";
  await deps.db.execute([{ sql, args: [user.id] }]);
  await isRefused();
  await setAccount(deps, { id: accountId, change: { mayPush: true }, actor: ACTOR });
  await isRefused();
  assert.equal((await transfersOf(world)).length, 1);
});

Deno.test("there are six bids at most, however soon, and then only an operator can go on", async () => {
  await using anvil = await startAnvil({ args: ["--no-mining"] });
  await using world = await startPayingWorld({ anvil });
  const { deps } = world;
  const id = sentId(await pay(world));
  const bump = async (isAnyway = false) => {
    await bumpWithdrawal(deps, { id, actor: ACTOR, isAnyway });
    return (await transfersOf(world)).length;
  };
  for (let bids = 2; bids <= BIDS_MAX; bids++) assert.equal(await bump(), bids);
  assert.deepEqual(await alertKinds(world), []);
  const enough = /6 bids were not enough$/;
  await assert.rejects(bump(), enough);
  await assert.rejects(revokeWithdrawal(deps, { id, actor: ACTOR }), enough);
  assert.deepEqual(await alertKinds(world), ["transfer_stuck"]);
  assert.equal(await bump(true), 7);
  await limitFee(world, "0.00001");
  await assert.rejects(bump(true), /at most 0\.00001 ETH are allowed/);
  await anvil.mine(1);
  assert.equal(await receivedBy(anvil, STRANGER), ETHER);
});

Deno.test("one bid too many by the worker is one alert", async () => {
  await using anvil = await startAnvil({ args: ["--no-mining"] });
  await using world = await startPayingWorld({ anvil });
  sentId(await pay(world));
  for (let round = 1; round <= BIDS_MAX + 2; round++) {
    // Blocks pass, and each is too expensive for it.
    for (let i = 0; i < 5; i++) {
      await anvil.rpc("anvil_setNextBlockBaseFeePerGas", ["0x174876e800"]);
      await anvil.mine(1);
    }
    await limitFee(world, "10");
    await world.round({ aheadMs: round * 200_000 });
    await anvil.rpc("anvil_dropAllTransactions");
  }
  assert.equal((await transfersOf(world)).length, BIDS_MAX);
  assert.deepEqual(await alertKinds(world), ["transfer_stuck"]);
});

Deno.test("a payment above --fee-max is a 502 with the reason, one alert until fees fall, and unsigned", async () => {
  await using anvil = await startAnvil();
  await using node = await lyingPrices(anvil, { baseRaw: 1_000n * GWEI });
  await using world = await startPayingWorld({ anvil, rpcUrls: [node.url] });
  await limitFee(world, "0.001");
  node.isLying = true;
  for (let i = 0; i < 2; i++) {
    const { error_message: reported } = await withdrawalOf(
      world.merchant.api,
      rejectedId(await pay(world)),
    );
    assert.match(reported, /^The fee could reach 0\.0\d+ ETH, and at most 0\.001 ETH are allowed/);
  }
  assert.deepEqual(await transfersOf(world), []);
  assert.deepEqual(await alertKinds(world), ["fee_too_high"]);
  await world.round();
  assert.deepEqual(await alertKinds(world), ["fee_too_high"]);
  node.isLying = false;
  await untilFeesFell(world);
  sentId(await pay(world));
});

Deno.test("a limit that another program has just set counts at the signature", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { accountId, credentials: { keyId } } } = world;
  const before = await deps.catalog.current();
  await limitFee(world, "0.0000000001");
  const catalog = { current: () => Promise.resolve(before), fresh: () => before };
  const late = { ...deps, catalog };
  const { row } = await createWithdrawal(late, {
    caller: { accountId, keyId, actor: ACTOR, signature: null },
    ...{ network: "ETH", currency: "ETH", toAddress: STRANGER, amount: "1" },
    clientReference: "late",
  });
  const answered = await broadcastWithdrawal(late, row, { actor: ACTOR, budgetMs: 8_500 });
  assert.equal(answered.status, "failed");
  assert.match(
    answered.errorMessage!,
    /^The fee could reach 0\.0\d+ ETH, and at most 0\.0000000001/,
  );
  assert.deepEqual(await transfersOf(world), []);
  assert.deepEqual(await alertKinds(world), ["fee_too_high"]);
});

Deno.test("a payment taken on by a worker waits until fees fall, and is paid once", async () => {
  await using anvil = await startAnvil();
  await using node = await lyingPrices(anvil, { baseRaw: 1_000n * GWEI });
  await using world = await startPayingWorld({ anvil, rpcUrls: [node.url] });
  await limitFee(world, "0.001");
  node.isLying = true;
  const id = await makeStage(world).waitingWithdrawal();
  await world.round({ aheadMs: 60_000 });
  assert.equal(await statusOf(world.merchant.api, id), "pending");
  assert.deepEqual(await alertKinds(world), ["fee_too_high"]);
  node.isLying = false;
  await untilFeesFell(world);
  await world.round();
  await settleAll(world);
  assert.equal(await statusOf(world.merchant.api, id), "confirmed");
  assert.equal(await receivedBy(anvil, STRANGER), ETHER);
});

Deno.test("above --gas-price-max it waits in the same way", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const limit = (gasPriceMaxRaw: string | null) =>
    setNetwork(world.deps, { code: "ETH", change: { gasPriceMaxRaw }, actor: ACTOR });
  await limit("2000");
  const id = await makeStage(world).waitingWithdrawal();
  await world.round({ aheadMs: 60_000 });
  assert.equal(await statusOf(world.merchant.api, id), "pending");
  const [alert] = await alertsOf(world.deps);
  assert.equal(alert!.subject, "network:ETH gas_price_limit");
  assert.match(alert!.message, /^Withdrawals on ETH wait, .* the limit is 0\.000002$/);
  await limit(null);
  await world.round();
  await settleAll(world);
  assert.equal(await statusOf(world.merchant.api, id), "confirmed");
  assert.deepEqual(await alertsOf(world.deps), []);
});

Deno.test("a single node that makes up tips and gas prices gets what recent blocks paid", async () => {
  await using anvil = await startAnvil();
  await using node = await lyingPrices(anvil, { tipRaw: 130_392n * GWEI });
  node.isLying = true;
  await using world = await startPayingWorld({ anvil, rpcUrls: [node.url] });
  sentId(await pay(world));
  assert.ok(await dearest(world) < 21_000n * 2n * 10n * GWEI, `${await dearest(world)}`);
});

Deno.test("no single one of three nodes sets the price, neither the tip nor the base fee", async () => {
  await using anvil = await startAnvil();
  await using tip = await lyingPrices(anvil, { tipRaw: 90_000n * GWEI, baseRaw: 40_000n * GWEI });
  tip.isLying = true;
  await using world = await startPayingWorld({ anvil, rpcUrls: [tip.url, anvil.url, anvil.url] });
  sentId(await pay(world));
  assert.ok(await dearest(world) < 26_000n * 10n * GWEI, `${await dearest(world)}`);
});

Deno.test("the price of blocks is remembered: a lie moves it slowly, whoever tells it", async () => {
  await using anvil = await startAnvil();
  await using node = await lyingPrices(anvil, { baseRaw: 50_000n * GWEI });
  await using world = await startPayingWorld({ anvil, rpcUrls: [node.url] });
  sentId(await pay(world));
  await settleAll(world);
  const paid = async () =>
    BigInt((await world.deps.db.find(NetworkCursors, ["ETH"]))!.paidRaw ?? "0");
  const before = await paid();
  assert.ok(before > 0n && before < 10n * GWEI, `${before}`);
  node.isLying = true;
  for (let i = 0; i < 5; i++) {
    await anvil.rpc("eth_sendTransaction", [{ from: anvil.accounts[0], to: STRANGER }]);
    await world.round();
  }
  assert.ok(await paid() < before + before / 10n + GWEI, `${await paid()}`);
});

Deno.test("a cancellation and a nonce filler respect --fee-max as well", async () => {
  await using anvil = await startAnvil({ args: ["--no-mining"] });
  await using world = await startPayingWorld({ anvil });
  const id = sentId(await pay(world));
  await limitFee(world, "0.00001");
  await assert.rejects(
    revokeWithdrawal(world.deps, { id, actor: ACTOR, isAnyway: true }),
    /The fee could reach .* at most 0\.00001 ETH are allowed/,
  );
  assert.equal((await transfersOf(world)).length, 1);
  assert.equal(await nonceOf(anvil, world.merchant.hotWallet), 0);
});

Deno.test("a first look at empty blocks without a base fee sets no price to rise from", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps } = world;
  await deps.db.write({
    reads: [read(NetworkCursors, ["ETH"])],
    decide: (view) =>
      view.update(NetworkCursors, view.find(NetworkCursors, ["ETH"])!, {
        paidRaw: "0",
        paidAtMs: deps.clock.nowMs(),
      }),
  });
  const [from] = anvil.accounts;
  const gasPrice = `0x${(60n * GWEI).toString(16)}`;
  await anvil.rpc("eth_sendTransaction", [{ from, to: STRANGER, gasPrice }]);
  await settleAll(world);
  assert.equal((await cursorOf(deps)).paidRaw, (60n * GWEI).toString());
});
