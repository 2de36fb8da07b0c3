import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { reconcile } from "../../../src/reconcile/reconcile.ts";
import { rescan } from "../../../src/following/rescan.ts";
import { resumeNetwork } from "../../../src/following/resume_network.ts";
import { retrySweep } from "../../../src/sweeps/retry.ts";
import { haltNetwork } from "../../../src/following/rewind_network.ts";
import { settleByHand } from "../../../src/withdrawals/settle_by_hand.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { type Contract, deploy } from "../../support/nodes/contracts.ts";
import { type Fault, startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { ETHER, setBalance, STRANGER } from "../../support/payers.ts";
import {
  sentId,
  settleAll,
  startPayingWorld,
  statusOf,
  transfersOf,
} from "../../support/payouts.ts";
import {
  depositStates,
  payIn,
  RECEIVER,
  startSweepingWorld,
  sweepsOf,
  sweepTo,
} from "../../support/sweeping.ts";
import { alertsOf, allocate, balanceOf, eventsOf, withdraw } from "../../support/views.ts";
import type { World } from "../../support/world.ts";

const TOKEN = "USDT";

/** 100 tokens in the books, and on the hot wallet. */
async function fundTokens({ deps, anvil, merchant }: World, token: Contract): Promise<void> {
  const { accountId, hotWallet } = merchant;
  const asset = { accountId, network: "ETH", currency: TOKEN };
  await adjustBalance(deps, { ...asset, amount: "100", note: "test", actor: "test" });
  await token.send("mint", [hotWallet, 100_000_000n]);
  await setBalance(anvil, hotWallet, ETHER);
  await anvil.mine(1);
}

/** Mines nothing from here on, until a block in which the token answers "false" to everybody. */
async function holdForFalseBlock(anvil: Anvil, token: Contract): Promise<() => Promise<void>> {
  const codeOf = (address: string) => anvil.rpc("eth_getCode", [address, "latest"]);
  const code = await codeOf(token.address);
  const lie = await codeOf((await deploy(anvil, { name: "FalseToken" })).address);
  await anvil.rpc("evm_setAutomine", [false]);
  return async () => {
    await anvil.rpc("anvil_setCode", [token.address, lie]);
    await anvil.mine(1);
    await anvil.rpc("anvil_setCode", [token.address, code]);
    await anvil.rpc("evm_setAutomine", [true]);
  };
}

async function openAlerts({ deps }: World): Promise<string[]> {
  return (await alertsOf(deps)).filter(({ open }) => open === 1).map(({ kind }) => kind);
}

for (const isPaid of [false, true]) {
  const verdict = isPaid ? "debited" : "given back";
  Deno.test(`a withdrawal whose token answers false once mined waits for an operator, and is ${verdict}`, async () => {
    await using anvil = await startAnvil();
    await using world = await startPayingWorld({ anvil });
    const { deps, merchant: { api } } = world;
    const token = await world.addToken();
    await fundTokens(world, token);
    const mineFalsely = await holdForFalseBlock(anvil, token);
    const id = sentId(await withdraw(api, { to: STRANGER, amount: "10", currency: TOKEN }));
    await mineFalsely();
    await settleAll(world);
    await settleAll(world);
    assert.equal(await statusOf(api, id), "broadcasted");
    const { balance, available } = await balanceOf(api, TOKEN);
    assert.deepEqual([balance, available], ["100", "89"], "neither debited nor given back");
    assert.deepEqual(await openAlerts(world), ["withdrawal_unpaid"]);

    const order = { id, isPaid, actor: "test" };
    await settleByHand(deps, order);
    assert.equal(await statusOf(api, id), isPaid ? "confirmed" : "failed");
    assert.equal((await balanceOf(api, TOKEN)).balance, isPaid ? "89" : "100");
    assert.deepEqual(await openAlerts(world), []);
    const type = isPaid ? "withdrawal.confirmed" : "withdrawal.failed";
    assert.equal((await eventsOf(deps, type)).length, 1);
    await assert.rejects(settleByHand(deps, order), /only withdrawals without a payment log/);
  });
}

const REREADINGS: Record<string, (deps: Deps) => Promise<unknown>> = {
  "its block was read again": (deps) =>
    rescan(deps, { network: "ETH", fromBlock: 1, toBlock: undefined, actor: "test" }),
  "all blocks were read anew": async (deps) => {
    await haltNetwork(deps, { network: "ETH", reason: "by test" });
    await resumeNetwork(deps, { network: "ETH", fromBlock: 1, actor: "test" });
  },
};

for (const [what, readAgain] of Object.entries(REREADINGS)) {
  Deno.test(`a released withdrawal isn't sent again when a reorg undoes its empty transaction after ${what}`, async () => {
    await using anvil = await startAnvil();
    await using world = await startPayingWorld({ anvil });
    const { deps, merchant: { api } } = world;
    const token = await world.addToken();
    await fundTokens(world, token);
    const mineFalsely = await holdForFalseBlock(anvil, token);
    const id = sentId(await withdraw(api, { to: STRANGER, amount: "10", currency: TOKEN }));
    await mineFalsely();
    await settleAll(world);
    await settleByHand(deps, { id, isPaid: false, actor: "test" });
    await readAgain(deps);
    await settleAll(world);
    const [settled] = await transfersOf(world);
    assert.equal(settled!.state, "settled");
    const depth = Number(await anvil.rpc("eth_blockNumber")) - settled!.blockNumber + 1;
    await anvil.rpc("anvil_reorg", [depth, []]);
    await anvil.mine(depth + 1);
    for (const aheadMs of [0, 60_000, 120_000]) await world.round({ aheadMs });
    assert.deepEqual((await transfersOf(world)).map(({ state }) => state), ["abandoned"]);
    assert.equal(await token.read("balanceOf", [STRANGER]), 0n);
    assert.equal((await balanceOf(api, TOKEN)).balance, "100");
  });
}

Deno.test("a withdrawal whose empty transaction is mined again and pays is confirmed", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api } = world.merchant;
  const token = await world.addToken();
  await fundTokens(world, token);
  const code = await anvil.rpc("eth_getCode", [token.address, "latest"]);
  const mineFalsely = await holdForFalseBlock(anvil, token);
  const id = sentId(await withdraw(api, { to: STRANGER, amount: "10", currency: TOKEN }));
  await mineFalsely();
  await settleAll(world);
  assert.deepEqual(await openAlerts(world), ["withdrawal_unpaid"]);
  await anvil.rpc("anvil_reorg", [4, []]);
  await anvil.rpc("anvil_setCode", [token.address, code]);
  await anvil.mine(5);
  for (const aheadMs of [0, 60_000]) await world.round({ aheadMs });
  await settleAll(world);
  assert.equal(await token.read("balanceOf", [STRANGER]), 10_000_000n);
  assert.equal(await statusOf(api, id), "confirmed");
  assert.equal((await balanceOf(api, TOKEN)).balance, "89");
  assert.deepEqual(await openAlerts(world), []);
});

Deno.test("a withdrawal of which a token keeps a fee is debited, with an alert", async () => {
  await using anvil = await startAnvil();
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startPayingWorld({ anvil, rpcUrls: [proxy.url] });
  const { api } = world.merchant;
  await fundTokens(world, await world.addToken());
  const halved: Fault = {
    edit: (reply) => JSON.parse(JSON.stringify(reply).replaceAll(hexWord(10n), hexWord(9n))),
  };
  proxy.onCall = (method) => /Receipt|getLogs/.test(method) ? halved : "pass";
  const id = sentId(await withdraw(api, { to: STRANGER, amount: "10", currency: TOKEN }));
  await settleAll(world);
  assert.equal(await statusOf(api, id), "confirmed");
  const [alert] = await alertsOf(world.deps);
  assert.match(alert!.message, /only 9000000 of 10000000 base units/);
});

function hexWord(tokens: bigint): string {
  return (tokens * 1_000_000n).toString(16).padStart(64, "0");
}

Deno.test("a sweep whose token answers false once mined is parked, and a retry moves its deposit", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil, receiver: null });
  const { deps, merchant: { api } } = world;
  const token = await world.addToken();
  const { address } = await allocate(api, { currency: TOKEN });
  await payIn(world, { to: address, raw: 7_000_000n, token });
  await setBalance(anvil, address, ETHER);
  await world.turn();
  const mineFalsely = await holdForFalseBlock(anvil, token);
  await sweepTo(world, RECEIVER);
  await world.round({ aheadMs: 1_400_000 });
  await mineFalsely();
  await world.turn(2);
  const parked = (await sweepsOf(world)).find(({ state }) => state === "parked");
  assert.match(parked!.reason!, /was mined and moved nothing$/);
  assert.deepEqual(await depositStates(world), ["confirmed"]);
  assert.deepEqual(await openAlerts(world), ["sweep_parked"]);
  await payIn(world, { to: address, raw: 1_000_000n, token });
  await world.turn();
  const { differences, surplus } = await reconcile(deps, { network: "ETH" });
  assert.deepEqual(differences, []);
  assert.deepEqual(surplus.filter(({ currency }) => currency === TOKEN), []);

  await retrySweep(deps, { id: parked!.id, actor: "test" });
  await world.turn(5);
  assert.deepEqual(await depositStates(world), ["swept", "swept"]);
  assert.equal(await token.read("balanceOf", [RECEIVER]), 8_000_000n);
});
