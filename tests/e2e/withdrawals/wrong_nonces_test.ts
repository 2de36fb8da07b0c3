import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { ETHER, hex, STRANGER } from "../../support/payers.ts";
import {
  auditPayer,
  nonceOf,
  receivedBy,
  sentId,
  settleAll,
  startPayingWorld,
  statusOf,
} from "../../support/payouts.ts";
import { alertsOf, balanceOf, eventsOf, withdraw, withdrawalOf } from "../../support/views.ts";

const NONCE = "eth_getTransactionCount";
const WRONG = { edit: (reply: object) => ({ ...reply, result: "0x9" }) };

for (const isAlone of [true, false]) {
  const who = isAlone ? "the only node" : "one of three nodes";
  Deno.test(`a wrong nonce from ${who} releases no payment that is on its way`, async () => {
    await using anvil = await startAnvil();
    await using proxy = await startFaultProxy(anvil.url, () => "pass");
    const rpcUrls = isAlone ? [proxy.url] : [proxy.url, anvil.url, anvil.url];
    await using world = await startPayingWorld({ anvil, rpcUrls });
    const { api } = world.merchant;
    await anvil.mine(5);
    await world.round();
    await anvil.rpc("evm_setAutomine", [false]);
    const id = sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
    proxy.onCall = (method) => method === NONCE ? WRONG : "pass";
    await world.round({ aheadMs: 30_000 });
    assert.equal(await statusOf(api, id), "broadcasted");
    await settleAll(world);
    assert.equal(await receivedBy(anvil, STRANGER), ETHER);
    assert.equal(await statusOf(api, id), "confirmed");
    assert.equal((await balanceOf(api)).balance, "98.9949");
    assert.deepEqual(await eventsOf(world.deps, "withdrawal.failed"), []);
    await auditPayer(world);
  });
}

Deno.test("a nonce that is wrong for a moment refuses one withdrawal at most, and halts no wallet", async () => {
  await using anvil = await startAnvil();
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startPayingWorld({ anvil, rpcUrls: [proxy.url] });
  const { api } = world.merchant;
  sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
  await settleAll(world);
  let reported = 0;
  proxy.onCall = (method) => method === NONCE && reported++ < 2 ? WRONG : "pass";
  const { status, body } = await withdraw(api, { to: STRANGER, amount: "1" });
  assert.equal(status, 502);
  assert.match(body.data.error_message, /nothing is signed before its blocks are read/);
  const next = sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
  await settleAll(world);
  assert.equal(await statusOf(api, next), "confirmed");
  assert.deepEqual(await alertsOf(world.deps), []);
  await auditPayer(world);
});

for (const wrong of [3, 1_000, Number.MAX_SAFE_INTEGER - 1]) {
  Deno.test(`a wallet that never signed signs at its own nonce, though one of three nodes says ${wrong}`, async () => {
    await using anvil = await startAnvil();
    await using proxy = await startFaultProxy(anvil.url, () => "pass");
    const rpcUrls = [proxy.url, anvil.url, anvil.url];
    await using world = await startPayingWorld({ anvil, rpcUrls });
    const { api, hotWallet } = world.merchant;
    const result = `0x${wrong.toString(16)}`;
    proxy.onCall = (method) =>
      method === NONCE ? { edit: (reply: object) => ({ ...reply, result }) } : "pass";
    for (let paid = 1; paid <= 3; paid++) {
      const id = sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
      await settleAll(world);
      assert.equal(await statusOf(api, id), "confirmed");
      assert.equal(await nonceOf(anvil, hotWallet), paid);
    }
    assert.deepEqual(await alertsOf(world.deps), []);
    await auditPayer(world);
  });
}

Deno.test("one of three nodes that calls a nonce used keeps no payment from being bid for", async () => {
  await using anvil = await startAnvil();
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  const rpcUrls = [proxy.url, anvil.url, anvil.url];
  await using world = await startPayingWorld({ anvil, rpcUrls });
  const { api } = world.merchant;
  await anvil.rpc("evm_setAutomine", [false]);
  const id = sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
  const first = (await withdrawalOf(api, id)).tx_hash;
  proxy.onCall = (method) =>
    method === NONCE ? { edit: (reply: object) => ({ ...reply, result: "0x1" }) } : "pass";
  // Too dear for what waits.
  for (let block = 0; block < 6; block++) {
    await anvil.rpc("anvil_setNextBlockBaseFeePerGas", [hex(5n * 10n ** 9n)]);
    await anvil.mine(1);
  }
  await world.round({ aheadMs: 200_000 });
  assert.notEqual((await withdrawalOf(api, id)).tx_hash, first);
  await settleAll(world);
  await anvil.rpc("evm_setAutomine", [true]);
  assert.equal(await statusOf(api, id), "confirmed");
  await auditPayer(world);
});
