import assert from "node:assert/strict";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import type { ApiClient } from "../../support/api_client.ts";
import { audit } from "../../support/auditor.ts";
import { depositWith, onlyDeposit } from "../../support/deposits.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { creditSentinel, ETHER, makePayer, mineRaw, STRANGER } from "../../support/payers.ts";
import {
  alertsOf,
  allocate,
  balanceOf,
  depositsOf,
  entriesOf,
  eventsOf,
  followed,
  requestOf,
} from "../../support/views.ts";
import { startWorld, type World } from "../../support/world.ts";

const PAYER = 101;

Deno.test("a detected deposit that a reorg removes has no confirmations and no credit (hazard 1)", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  const { api } = world.merchant;
  const payer = await makePayer(anvil, PAYER);
  const { address, requestId } = await allocate(api);
  const paid = await payer.pay({ nonce: 0, to: address, amountRaw: ETHER });
  await anvil.mine(1);
  const before = await depositWith(api, { confirmations: 2 });
  await anvil.rpc("anvil_reorg", [2, []]);
  const gone = await depositWith(api, { confirmations: 0 });
  assert.deepEqual([gone.id, gone.status], [before.id, "detected"]);
  await creditSentinel(world);
  const [later] = await depositsOf(api);
  assert.deepEqual([later!.status, later!.confirmations], ["detected", 0]);
  assert.equal((await balanceOf(api)).balance, "0");
  assert.equal((await requestOf(api, requestId)).status, "active");

  // The node does not mine it again by itself; the payer's wallet sends it once more.
  const height = await mineRaw(anvil, paid.raw);
  assert.notEqual(height, paid.height);
  await anvil.mine(2);
  const settled = await depositWith(api, { status: "confirmed" });
  assert.deepEqual([settled.id, settled.block_number], [before.id, height]);
  assert.equal((await requestOf(api, requestId)).status, "settled");
  await creditSentinel(world);
  await audit({ api, anvil, addresses: [address] });
  assert.deepEqual(await types(world.deps, api), { detected: 1, confirmed: 1 });
  assert.deepEqual(await alertsOf(world.deps), []);
});

Deno.test("a deposit mined in another block keeps its id, moves there and is credited once (hazard 3)", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, minConfirmations: 5 });
  const { api } = world.merchant;
  const payer = await makePayer(anvil, PAYER);
  const { address } = await allocate(api);
  const { raw, height } = await payer.pay({ nonce: 0, to: address, amountRaw: ETHER });
  await anvil.mine(2);
  const before = await depositWith(api, { confirmations: 3 });
  assert.equal(before.block_number, height);
  await anvil.rpc("anvil_reorg", [3, [[raw, 2]]]);
  const after = await eventually(() => onlyDeposit(api), {
    until: (row) => row.block_number === height + 2,
  });
  assert.deepEqual([after.id, after.status, after.confirmations], [before.id, "detected", 1]);
  await anvil.mine(3);
  assert.equal((await depositWith(api, { confirmations: 4 })).status, "detected");
  await anvil.mine(1);
  assert.equal((await depositWith(api, { status: "confirmed" })).id, before.id);
  await audit({ api, anvil, addresses: [address], minConfirmations: 5 });
  assert.deepEqual(await types(world.deps, api), { detected: 1, confirmed: 1 });
});

Deno.test("a reorganisation that leaves the height as it was is noticed by the head's hash (hazard 2)", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  const { api } = world.merchant;
  const payer = await makePayer(anvil, PAYER);
  const { address } = await allocate(api);
  const { height, raw } = await payer.pay({ nonce: 0, to: address, amountRaw: ETHER });
  await depositWith(api, { confirmations: 1 });
  await anvil.rpc("anvil_reorg", [1, []]);
  assert.equal(Number(await anvil.rpc("eth_blockNumber")), height);
  await depositWith(api, { confirmations: 0 });
  await anvil.rpc("anvil_reorg", [1, [[raw, 0]]]);
  assert.equal(Number(await anvil.rpc("eth_blockNumber")), height);
  assert.equal((await depositWith(api, { confirmations: 1 })).block_number, height);
});

Deno.test("token deposits whose log index changes in a reorganisation are credited once each (hazard 4)", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  const token = await world.addToken();
  const { api } = world.merchant;
  const [alice, bob] = [await makePayer(anvil, 102), await makePayer(anvil, 103)];
  for (const { address } of [alice, bob]) await token.send("mint", [address, 100_000_000n]);
  const { address } = await allocate(api, { currency: "USDT" });
  const payment = { nonce: 0, to: address, contract: token.address };
  const first = await alice.sign({ ...payment, amountRaw: 5_000_000n });
  const second = await bob.sign({ ...payment, amountRaw: 7_000_000n });
  await mineRaw(anvil, first.raw);
  const height = await mineRaw(anvil, second.raw);
  const before = await eventually(() => depositsOf(api), { until: (rows) => rows.length === 2 });
  assert.equal(await logIndexOf(anvil, first.txHash), 0);
  await anvil.rpc("anvil_reorg", [2, [[second.raw, 1], [first.raw, 1]]]);
  assert.equal(await logIndexOf(anvil, first.txHash), 1);
  await eventually(() => depositsOf(api), {
    until: (rows) => rows.every((row) => row.block_number === height),
  });
  await anvil.mine(2);
  const after = await eventually(() => depositsOf(api), {
    until: (rows) => rows.every((row) => row.status === "confirmed"),
  });
  assert.deepEqual(after.map(({ id }) => id), before.map(({ id }) => id));
  assert.equal((await balanceOf(api, "USDT")).balance, "12");
  const held = { contract: token.address, decimals: 6 };
  await audit({ api, anvil, addresses: [address], currency: "USDT", token: held });
});

Deno.test("a detected deposit whose nonce another transaction used fails, uncredited (hazard 5)", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  const { api } = world.merchant;
  const payer = await makePayer(anvil, PAYER);
  const { address, requestId } = await allocate(api);
  await payer.pay({ nonce: 0, to: address, amountRaw: ETHER });
  await depositWith(api, { confirmations: 1 });
  const instead = await payer.sign({ nonce: 0, to: STRANGER, amountRaw: ETHER });
  await anvil.rpc("anvil_reorg", [1, [[instead.raw, 0]]]);
  await depositWith(api, { confirmations: 0 });
  await anvil.mine(1);
  await followed(world);
  assert.equal((await onlyDeposit(api)).status, "detected", "Its nonce may still come free again");
  await anvil.mine(1);
  await depositWith(api, { status: "failed" });
  await creditSentinel(world);
  assert.equal((await onlyDeposit(api)).confirmations, 0);
  assert.equal((await requestOf(api, requestId)).status, "active");
  await audit({ api, anvil, addresses: [address] });
  assert.deepEqual(await types(world.deps, api), { detected: 1, confirmed: 0 });
  assert.deepEqual((await entriesOf(world.deps)).map(({ kind }) => kind), ["credit"]);
});

/** A contract pays as many tokens as the number of the block in which it is called. */
async function payByHeight(world: World) {
  const { anvil, merchant: { api } } = world;
  const token = await world.addToken();
  const { address } = await allocate(api, { currency: "USDT" });
  const payer = await makePayer(anvil, PAYER);
  const spender = "0x00000000000000000000000000000000000fee1d";
  await anvil.rpc("anvil_setCode", [spender, paysByHeight({ token: token.address, to: address })]);
  await token.send("mint", [spender, 10n ** 12n]);
  const call = await payer.sign({ nonce: 0, to: spender, amountRaw: 0n });
  return { token, address, call, height: await mineRaw(anvil, call.raw) };
}

Deno.test("a deposit mined again with another amount is credited as the chain has it now", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  const { api } = world.merchant;
  const { token, address, call, height } = await payByHeight(world);
  const before = await depositWith(api, { confirmations: 1 });
  assert.equal(before.amount_decimal, String(height));
  await anvil.mine(1);
  await anvil.rpc("anvil_reorg", [2, [[call.raw, 1]]]);
  await anvil.mine(2);
  await depositWith(api, { status: "confirmed" });
  assert.equal(await token.read("balanceOf", [address]), BigInt(height + 1) * 10n ** 6n);
  const held = { contract: token.address, decimals: 6 };
  await audit({ api, anvil, addresses: [address], currency: "USDT", token: held });
});

Deno.test("a credit is taken back if its payment was mined again with another amount, and an alert says so", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  const { api } = world.merchant;
  const { token, address, call } = await payByHeight(world);
  await anvil.mine(2);
  await depositWith(api, { status: "confirmed" });
  await anvil.rpc("anvil_reorg", [3, [[call.raw, 2]]]);
  await anvil.mine(2);
  const paid = await token.read("balanceOf", [address]) as bigint / 10n ** 6n;
  await depositWith(api, { status: "confirmed", amount_decimal: String(paid) });
  assert.deepEqual((await alertsOf(world.deps)).map(({ kind }) => kind), ["deposit_reversed"]);
  assert.deepEqual((await entriesOf(world.deps)).map(({ kind }) => kind), [
    "credit",
    "reversal",
    "credit",
  ]);
  const held = { contract: token.address, decimals: 6 };
  await audit({ api, anvil, addresses: [address], currency: "USDT", token: held });
});

Deno.test("a reorganisation while the gateway was down is found when it comes back", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  const { api } = world.merchant;
  const payer = await makePayer(anvil, PAYER);
  const { address } = await allocate(api);
  const { raw, height } = await payer.pay({ nonce: 0, to: address, amountRaw: ETHER });
  await anvil.mine(1);
  const before = await depositWith(api, { confirmations: 2 });
  await world.restart(async () => {
    await anvil.rpc("anvil_reorg", [2, [[raw, 1]]]);
    await anvil.mine(10);
  });
  const after = await depositWith(api, { status: "confirmed" });
  assert.deepEqual([after.id, after.block_number], [before.id, height + 1]);
  await audit({ api, anvil, addresses: [address] });
});

/** The number of events about the merchant's only deposit, by type. */
async function types(deps: Parameters<typeof eventsOf>[0], api: ApiClient) {
  const { id } = await onlyDeposit(api);
  const count = async (type: string) =>
    (await eventsOf(deps, `deposit.${type}`)).filter((data) => data.transaction_id === id).length;
  return { detected: await count("detected"), confirmed: await count("confirmed") };
}

async function logIndexOf(anvil: Anvil, hash: string): Promise<number> {
  const { logs } = await anvil.rpc("eth_getTransactionReceipt", [hash]);
  return Number(logs[0].logIndex);
}

/** A contract that pays as many tokens as its block is high: the same transaction, another amount. */
function paysByHeight({ token, to }: { token: string; to: string }): string {
  const selector = "63a9059cbb60e01b5f52";
  const recipient = `73${to.slice(2)}600452`;
  const amount = "43620f424002602452";
  const call = `60205f60445f5f73${token.slice(2)}5af1`;
  const orRevert = "604f575f5ffd5b00";
  return `0x${selector}${recipient}${amount}${call}${orRevert}`;
}
