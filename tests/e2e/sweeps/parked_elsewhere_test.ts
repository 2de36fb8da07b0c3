import assert from "node:assert/strict";
import { present } from "../../../src/base/assert.ts";
import { Addresses } from "../../../src/wallets/tables/addresses.ts";
import { Sweeps } from "../../../src/sweeps/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { enable } from "../../support/gateway.ts";
import {
  assertNoFaults,
  depositStates,
  fundGasWallet,
  payIn,
  startSweepingWorld,
  type SweepingWorld,
} from "../../support/sweeping.ts";
import { allocate } from "../../support/views.ts";
import type { WorldMerchant } from "../../support/world.ts";

const OVER_A_DAY_MS = 25 * 3_600_000;

async function parkSweeps(
  { deps }: SweepingWorld,
  { accountId, api }: WorldMerchant,
  count: number,
): Promise<void> {
  for (let i = 0; i < count; i++) {
    const { address } = await allocate(api, { currency: "USDT" });
    const { id } = present(await deps.db.find(Addresses, ["ETH", address], "address"), address);
    const asset = { accountId, network: "ETH", currency: "USDT", addressId: id };
    const parked = {
      state: "parked",
      open: 1,
      code: null,
      reason: "test",
      failures: 0,
      batchFailures: 0,
    } as const;
    const at = { nextTryAtMs: deps.clock.nowMs(), createdAtMs: 0 };
    await deps.db.write({
      reads: [],
      decide: (view) => view.insert(Sweeps, { ...asset, ...parked, ...at }),
    });
  }
}

Deno.test("an account's parked sweeps stop its own, and others' for a day, with two more accounts", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const token = await world.addToken();
  await fundGasWallet(world);
  const others = [];
  for (const name of ["one", "two", "three"]) {
    const other = await world.addMerchant(name);
    await enable(world.deps, { accountId: other.accountId, network: "ETH", currency: "USDT" });
    others.push(other);
  }
  await parkSweeps(world, others[0]!, 5);
  await parkSweeps(world, others[1]!, 1);
  const payOne = async () => {
    const { address } = await allocate(world.merchant.api, { currency: "USDT" });
    await payIn(world, { to: address, raw: 5_000_000n, token });
    await world.turn(4);
  };
  await payOne();
  assert.deepEqual(await depositStates(world), ["swept"]);
  await parkSweeps(world, others[2]!, 1);
  await payOne();
  assert.deepEqual(await depositStates(world), ["swept", "confirmed"]);
  for (let turn = 0; turn < 4; turn++) {
    await anvil.mine(3);
    await world.round({ aheadMs: OVER_A_DAY_MS + turn * 700_000 });
  }
  assert.deepEqual(await depositStates(world), ["swept", "swept"]);
  assertNoFaults(world);
});
