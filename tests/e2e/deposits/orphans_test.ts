import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER, makePayer, setBalance, STRANGER } from "../../support/payers.ts";
import { receivedBy } from "../../support/payouts.ts";
import { assertNoFaults } from "../../support/sweeping.ts";
import {
  alertsOf,
  allocate,
  balanceOf,
  cursorOf,
  depositsOf,
  withdraw,
} from "../../support/views.ts";
import { startWorld } from "../../support/world.ts";

const BY_HAND = { CPG_WORKER: "false" };

Deno.test("a halted network pays nothing out of a deposit that left its chain: 503 (hazard 6)", async () => {
  await using anvil = await startAnvil({ args: ["--slots-in-an-epoch", "2"] });
  await using world = await startWorld({ anvil, env: BY_HAND });
  const { api, hotWallet } = world.merchant;
  await setBalance(anvil, hotWallet, 100n * ETHER);
  await anvil.mine(1);
  const payer = await makePayer(anvil, 301);
  const { address } = await allocate(api);
  await payer.pay({ nonce: 0, to: address, amountRaw: 10n * ETHER });
  await anvil.mine(10);
  await world.round();
  assert.equal((await balanceOf(api)).balance, "10");
  const instead = await payer.sign({ nonce: 0, to: payer.address, amountRaw: 1n });
  await anvil.rpc("anvil_reorg", [11, [[instead.raw, 0]]]);
  await world.round();
  await world.round();
  assert.notEqual((await cursorOf(world.deps)).haltedReason, null);
  assert.equal(await receivedBy(anvil, address), 0n);
  assert.equal((await withdraw(api, { to: STRANGER, amount: "9" })).status, 503);
  await world.round({ aheadMs: 60_000 });
  assert.equal(await receivedBy(anvil, STRANGER), 0n);
  assert.equal((await balanceOf(api)).held, "0");
});

Deno.test("a credit whose deposit left the chain for good is taken back, with an alert", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: BY_HAND });
  const { api, hotWallet } = world.merchant;
  await setBalance(anvil, hotWallet, 100n * ETHER);
  await anvil.mine(1);
  const payer = await makePayer(anvil, 302);
  const { address } = await allocate(api);
  await payer.pay({ nonce: 0, to: address, amountRaw: 10n * ETHER });
  await anvil.mine(3);
  await world.round();
  assert.equal((await balanceOf(api)).balance, "10");
  await anvil.rpc("anvil_reorg", [4, []]);
  await world.round();
  await anvil.mine(50);
  await world.round({ aheadMs: 3_600_000 });
  assert.deepEqual((await depositsOf(api)).map(({ status }) => status), ["failed"]);
  assert.equal((await balanceOf(api)).balance, "0");
  assert.deepEqual((await alertsOf(world.deps)).map(({ kind }) => kind), ["deposit_reversed"]);
  const refused = await withdraw(api, { to: STRANGER, amount: "9" });
  assert.deepEqual([refused.status, refused.body.error.code], [400, "insufficient_balance"]);
});

Deno.test("fifty undecidable deposits that left the chain don't keep later ones from being taken back", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: BY_HAND });
  const { api } = world.merchant;
  const other = await world.addMerchant("Other");
  const dust = await allocate(other.api);
  const payers = [];
  for (let i = 0; i < 50; i++) payers.push(await makePayer(anvil, 400 + i));
  const late = await makePayer(anvil, 500);
  const { address } = await allocate(api);
  await world.round();
  await anvil.rpc("evm_setAutomine", [false]);
  for (const payer of payers) {
    const { raw } = await payer.sign({ nonce: 0, to: dust.address, amountRaw: 1n });
    await anvil.rpc("eth_sendRawTransaction", [raw]);
  }
  await anvil.mine(1);
  await anvil.rpc("evm_setAutomine", [true]);
  await world.round();
  assert.equal((await depositsOf(other.api)).length, 50);
  await anvil.rpc("anvil_reorg", [1, []]);
  await anvil.mine(1);
  await world.round();
  await late.pay({ nonce: 0, to: address, amountRaw: 10n * ETHER });
  await anvil.mine(3);
  await world.round();
  assert.equal((await balanceOf(api)).balance, "10");
  const instead = await late.sign({ nonce: 0, to: late.address, amountRaw: 1n });
  await anvil.rpc("anvil_reorg", [4, [[instead.raw, 0]]]);
  await anvil.mine(20);
  for (let round = 0; round < 3; round++) await world.round();
  assertNoFaults(world);
  assert.equal((await balanceOf(api)).balance, "0");
});
