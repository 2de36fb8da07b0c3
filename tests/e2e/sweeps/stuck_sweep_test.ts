import assert from "node:assert/strict";
import { setNetwork } from "../../../src/networks/set.ts";
import { Amount } from "../../../src/domain/money/amount.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { deploy } from "../../support/nodes/contracts.ts";
import { startNodeDouble } from "../../support/nodes/node_double.ts";
import { ETHER, hex, makePayer, mineRaw, STRANGER } from "../../support/payers.ts";
import { nonceOf, receivedBy } from "../../support/payouts.ts";
import {
  assertNoFaults,
  auditSweeps,
  depositStates,
  fundGasWallet,
  payIn,
  RECEIVER,
  signedFor,
  startSweepingWorld,
  type SweepingWorld,
} from "../../support/sweeping.ts";
import { enable, makeToken } from "../../support/gateway.ts";
import { alertsOf, allocate, transactionsOf } from "../../support/views.ts";

/**
 * More than what waits offers, and less than the network's limit: the gateway may keep the price of
 * before for a second, and must bid again with either.
 */
const DEAR = hex(5n * 10n ** 9n);

/** Blocks pass, and each is too dear for what waits. */
async function mineDear({ anvil }: SweepingWorld, blocks: number): Promise<void> {
  for (let i = 0; i < blocks; i++) {
    await anvil.rpc("anvil_setNextBlockBaseFeePerGas", [DEAR]);
    await anvil.mine(1);
  }
}

async function mineCheaply(anvil: Anvil, raw: string): Promise<void> {
  await anvil.rpc("anvil_dropAllTransactions");
  await anvil.rpc("anvil_setNextBlockBaseFeePerGas", ["0x1"]);
  await anvil.rpc("evm_setAutomine", [true]);
  await mineRaw(anvil, raw);
}

Deno.test("a coin sweep mined just before it bids again gets nothing from the gas wallet", async () => {
  await using anvil = await startAnvil();
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startSweepingWorld({ anvil, rpcUrls: [proxy.url] });
  const gas = await fundGasWallet(world, 100n * ETHER);
  const { address } = await allocate(world.merchant.api);
  await payIn(world, { to: address, raw: 10n * ETHER });
  await anvil.rpc("evm_setAutomine", [false]);
  await anvil.mine(2);
  await world.round();
  const [sweep] = await signedFor(world, "sweep");
  await mineDear(world, 6);
  assert.equal(await nonceOf(anvil, address), 0);
  let isMined = false;
  proxy.onCall = (method, params) => {
    if (method !== "eth_getBalance" || params[0] !== address || isMined) return "pass";
    isMined = true;
    void mineCheaply(anvil, sweep!.raw);
    return { delayMs: 500 };
  };
  await world.round({ aheadMs: 200_000 });
  assert.equal(await nonceOf(anvil, address), 1);
  await world.turn(4);
  assert.deepEqual(await depositStates(world), ["swept"]);
  assert.equal(await nonceOf(anvil, gas), 0);
  assertNoFaults(world);
});

Deno.test("a coin sweep whose deposit was paid elsewhere after a reorg moves no operator's coins", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const gas = await fundGasWallet(world, 100n * ETHER);
  const payer = await makePayer(anvil, 31);
  const { address } = await allocate(world.merchant.api);
  await payer.pay({ nonce: 0, to: address, amountRaw: 10n * ETHER });
  const instead = await payer.sign({ nonce: 0, to: STRANGER, amountRaw: ETHER });
  await anvil.mine(2);
  await world.round();
  await anvil.rpc("anvil_reorg", [4, [[instead.raw, 0]]]);
  await anvil.mine(6);
  await world.turn(4);
  assert.equal((await signedFor(world, "gas_topup")).length, 0);
  assert.equal(await nonceOf(anvil, gas), 0);
  assert.equal(await receivedBy(anvil, RECEIVER), 0n);
});

for (const [which, mined] of [["first", 0], ["dearer", 1]] as const) {
  Deno.test(`a coin sweep whose ${which} bid is mined shows what that one moved (hazard 43)`, async () => {
    await using anvil = await startAnvil();
    await using world = await startSweepingWorld({ anvil });
    const { api } = world.merchant;
    const { address } = await allocate(api);
    await payIn(world, { to: address, raw: 10n * ETHER });
    await anvil.rpc("evm_setAutomine", [false]);
    await anvil.mine(2);
    await world.round();
    await mineDear(world, 6);
    await world.round({ aheadMs: 200_000 });
    const bids = await signedFor(world, "sweep");
    assert.equal(bids.length, 2);
    await mineCheaply(anvil, bids[mined]!.raw);
    await world.turn(3);
    const [row] = await transactionsOf(api, "&direction=sweep");
    assert.deepEqual([row!.status, row!.tx_hash], ["confirmed", bids[mined]!.txHash]);
    const unit = { asset: "ETH/ETH", decimals: 18 };
    const moved = Amount.fromRaw(await receivedBy(anvil, RECEIVER), unit);
    assert.equal(row!.amount_decimal, moved.toString());
    await auditSweeps(world, { addresses: [address] });
    assertNoFaults(world);
  });
}

Deno.test("a coin sweep signed for coins that a node made up gets what it lacks for its fee", async () => {
  await using anvil = await startAnvil();
  let liesOf: string | undefined;
  await using liar = await startNodeDouble(anvil.url, async (call, ask) => {
    const reply = await ask() as { readonly result: string };
    const isLie = call.method === "eth_getBalance" && call.params[0] === liesOf;
    return isLie ? { ...reply, result: hex(BigInt(reply.result) + ETHER) } : reply;
  });
  await using world = await startSweepingWorld({ anvil, rpcUrls: [liar.url] });
  await fundGasWallet(world, 100n * ETHER);
  const { address } = await allocate(world.merchant.api);
  await payIn(world, { to: address, raw: ETHER });
  liesOf = address;
  await world.turn();
  liesOf = undefined;
  const [sweep] = await signedFor(world, "sweep");
  assert.equal(sweep!.amountRaw, String(ETHER), "It leaves nothing for the fee");
  // So that no dearer bid is allowed.
  const feeRaw = BigInt(sweep!.nativeCostMaxRaw) - ETHER;
  const feeMax = Amount.fromRaw(feeRaw, { asset: "ETH/ETH", decimals: 18 }).toString();
  await setNetwork(world.deps, { code: "ETH", change: { feeMax }, actor: "test" });
  await world.turn(8);
  assert.deepEqual(await depositStates(world), ["swept"]);
  assert.equal(await receivedBy(anvil, RECEIVER), ETHER);
  await auditSweeps(world, { addresses: [address] });
});

Deno.test("a node that goes on saying that a sweep can't pay its fee gets the gas wallet to send little", async () => {
  await using anvil = await startAnvil();
  const token = await deploy(anvil, { name: "UsdtLike" });
  let poor = "";
  await using liar = await startNodeDouble(anvil.url, async (call, ask) => {
    const isSweep = call.method === "eth_sendRawTransaction" &&
      String(call.params[0]).includes(token.address.slice(2).toLowerCase());
    if (isSweep) return { jsonrpc: "2.0", id: call.id, result: hex(1n) };
    const reply = await ask();
    const isLie = call.method === "eth_getBalance" && call.params[0] === poor;
    return isLie ? Object.assign({}, reply, { result: "0x0" }) : reply;
  });
  await using world = await startSweepingWorld({ anvil, rpcUrls: [liar.url] });
  const { deps, merchant: { api, accountId } } = world;
  await makeToken(deps, { network: "ETH", contract: token.address });
  await enable(deps, { accountId, network: "ETH", currency: "USDT" });
  await fundGasWallet(world, 100n * ETHER);
  const { address } = await allocate(api, { currency: "USDT" });
  await payIn(world, { to: address, raw: 5_000_000n, token });
  await world.turn(3);
  const [sweep] = await signedFor(world, "sweep");
  const before = (await signedFor(world, "gas_topup")).length;
  assert.deepEqual([sweep?.state, before], ["open", 1]);
  poor = address;
  await world.turn(16);
  assert.equal((await signedFor(world, "gas_topup")).length - before, 3);
  const stuck = (await alertsOf(deps)).filter(({ kind }) => kind === "transfer_stuck");
  assert.match(stuck[0]!.message, /after 3 gas top-ups a node says .* still can't pay for it/);
});
