import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { audit } from "../../support/auditor.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import { depositWith } from "../../support/deposits.ts";
import { enable } from "../../support/gateway.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { ETHER, makePayer } from "../../support/payers.ts";
import { allocate, type Allocated, depositsOf, requestOf } from "../../support/views.ts";
import { startWorld, type World } from "../../support/world.ts";

const SECOND = {
  CPG_DISPLAY_WINDOW: "1",
  CPG_MONITORING_WINDOW: "1",
  CPG_REUSE_WINDOW: "1",
};

/** Every window of the request ends when its display does. */
async function windowsEnd(world: World, { requestId }: Allocated): Promise<void> {
  const { api } = world.merchant;
  await eventually(() => requestOf(api, requestId), {
    until: ({ status, display_expires_at }) =>
      status !== "active" && Date.now() > Date.parse(display_expires_at) + 1000,
  });
}

Deno.test("a deposit after the monitoring window is credited and settles the expired request", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: SECOND });
  const { api } = world.merchant;
  const given = [await allocate(api), await allocate(api, { user: "late" })];
  await windowsEnd(world, given[1]!);
  for (const { requestId } of given) {
    assert.equal((await requestOf(api, requestId)).status, "expired_for_display");
  }
  for (const { address } of given) await sendTx(anvil, { to: address, valueRaw: ETHER });
  await anvil.mine(2);
  await eventually(() => depositsOf(api), {
    until: (rows) => rows.length === 2 && rows.every((row) => row.status === "confirmed"),
  });
  for (const { requestId } of given) {
    const { status, transactions } = await requestOf(api, requestId);
    assert.deepEqual([status, transactions.length], ["settled", 1]);
  }
  await audit({ api, anvil, addresses: given.map(({ address }) => address) });
});

Deno.test("a pool address with an unconfirmed deposit isn't reused, not even during a reorg", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: SECOND });
  const { api } = world.merchant;
  const payer = await makePayer(anvil, 401);
  const busy = await allocate(api);
  const { raw } = await payer.pay({ nonce: 0, to: busy.address, amountRaw: ETHER });
  await depositWith(api, { confirmations: 1 });
  await windowsEnd(world, busy);
  const second = await allocate(api);
  assert.notEqual(second.address, busy.address);
  await anvil.rpc("anvil_reorg", [1, []]);
  await depositWith(api, { confirmations: 0 });
  const third = await allocate(api);
  assert.notEqual(third.address, busy.address);
  await anvil.rpc("eth_sendRawTransactionSync", [raw]);
  await anvil.mine(2);
  await depositWith(api, { status: "confirmed" });
  // The other two may be idle again by now.
  const given = await Promise.all([allocate(api), allocate(api), allocate(api)]);
  assert.ok(given.some(({ address }) => address === busy.address));
});

Deno.test("a reused pool address lists new payments under its new request, and old ones under the old", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: SECOND });
  const token = await world.addToken();
  const { api, accountId } = world.merchant;
  await enable(world.deps, { accountId, network: "ETH", currency: "USDT" });
  const first = await allocate(api);
  await sendTx(anvil, { to: first.address, valueRaw: ETHER });
  await anvil.mine(2);
  await depositWith(api, { status: "confirmed" });
  await windowsEnd(world, first);
  const second = await allocate(api, { currency: "USDT" });
  assert.equal(second.address, first.address);
  // Its clock is behind ours by as long as it took to start.
  await anvil.rpc("evm_setTime", [Math.ceil(Date.now() / 1000)]);
  await sendTx(anvil, { to: first.address, valueRaw: 2n * ETHER });
  await token.send("mint", [first.address, 3_000_000n]);
  await anvil.mine(2);
  await eventually(() => depositsOf(api), {
    until: (rows) => rows.length === 3 && rows.every((row) => row.status === "confirmed"),
  });
  const amounts = async ({ requestId }: Allocated) =>
    (await requestOf(api, requestId)).transactions.map((row: { amount_decimal: string }) =>
      row.amount_decimal
    );
  assert.deepEqual(await amounts(first), ["1"]);
  assert.deepEqual(await amounts(second), ["3"]);
  await audit({ api, anvil, addresses: [first.address] });
  const held = { contract: token.address, decimals: 6 };
  await audit({ api, anvil, addresses: [first.address], currency: "USDT", token: held });
});
