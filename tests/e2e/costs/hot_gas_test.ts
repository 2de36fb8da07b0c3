import assert from "node:assert/strict";
import { fillEachHotWallet } from "../../support/programs/upkeep.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER, hex, setBalance, STRANGER } from "../../support/payers.ts";
import { receivedBy, rejectedId, sentId } from "../../support/payouts.ts";
import {
  assertNoFaults,
  fundGasWallet,
  payIn,
  RECEIVER,
  startSweepingWorld,
} from "../../support/sweeping.ts";
import { allocate } from "../../support/views.ts";

Deno.test("the operator's gas in a hot wallet isn't paid out, however often it is requested", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const { deps, merchant: { api, hotWallet } } = world;
  await setNetwork(deps, { code: "ETH", change: { hotGasTarget: "1" }, actor: "test" });
  const gas = await fundGasWallet(world, 10n * ETHER);
  const { address } = await allocate(api);
  await payIn(world, { to: address, raw: 20n * ETHER });
  await world.turn(4);
  assert.ok(await receivedBy(anvil, RECEIVER) > 19n * ETHER, "the merchant has all of it again");

  const withdraw = (amount: string) =>
    api.post("/v1/withdrawals", {
      ...{ network: "ETH", currency: "ETH", to_address: STRANGER, amount },
      client_reference: crypto.randomUUID(),
    });
  for (let times = 0; times < 3; times++) {
    await fillEachHotWallet(deps);
    await world.turn();
    rejectedId(await withdraw("0.9"));
  }
  assert.equal(await receivedBy(anvil, STRANGER), 0n);
  assert.equal(await receivedBy(anvil, hotWallet), ETHER);
  assert.ok(await receivedBy(anvil, gas) > 89n * ETHER / 10n, "filled up once");

  await setBalance(anvil, hotWallet, 3n * ETHER);
  await anvil.rpc("anvil_mine", [hex(1n)]);
  sentId(await withdraw("2"));
  assert.equal(await receivedBy(anvil, STRANGER), 2n * ETHER, "what is above it, to the last unit");
  rejectedId(await withdraw("0.001"));
  assertNoFaults(world);
});

Deno.test("a hot wallet whose row was changed takes no gas, and the others get theirs", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const { deps, merchant } = world;
  const other = await world.addMerchant("Next");
  await setNetwork(deps, { code: "ETH", change: { hotGasTarget: "1" }, actor: "test" });
  await fundGasWallet(world, 10n * ETHER);
  await deps.db.execute([{
    sql: "UPDATE addresses SET nonce_floor = 99 WHERE address = ?",
    args: [merchant.hotWallet],
  }]);
  await fillEachHotWallet(deps);
  await anvil.rpc("anvil_mine", [hex(1n)]);
  assert.equal(await receivedBy(anvil, merchant.hotWallet), 0n);
  assert.equal(await receivedBy(anvil, other.hotWallet), ETHER);
});
