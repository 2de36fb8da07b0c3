import assert from "node:assert/strict";

import { resumeWallet } from "../../../src/restore/resume_wallet.ts";
import { Sweeps } from "../../../src/sweeps/table.ts";
import { arrivedAt, startTurningWorld, sweepToNode } from "../../support/litecoin_turns.ts";
import { startLitecoind } from "../../support/nodes/litecoind.ts";
import { takeBackup } from "../../support/restoring.ts";
import { allocate } from "../../support/views.ts";

const LTC = { network: "LTC", currency: "LTC" };
const ORDER = { network: "LTC", actor: "test" };

Deno.test("after a restore nothing of an account is swept until its hot wallet is resumed", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startTurningWorld({ node });
  const { merchant } = world;
  // Another account, whose wallet stays halted, holds back nobody.
  await world.addMerchant("Other");
  const { address } = await allocate(merchant.api, LTC);
  await node.pay(address, "1.25");
  await world.turn(3);
  const older = await sweepToNode(world, merchant);
  await using backup = await takeBackup(world);
  await backup.bringBack();
  await world.turn(3);
  const states = async () =>
    (await world.deps.db.rows(Sweeps, "")).map(({ state, code }) => [state, code]);
  assert.deepEqual(await states(), [["waiting", "wallet_halted"]]);
  const newer = await sweepToNode(world, merchant);
  await resumeWallet(world.deps, { ...ORDER, address: merchant.hotWallet });
  await world.turn(18);
  assert.deepEqual(await states(), [["done", null]]);
  assert.equal(await arrivedAt(world, older), 0n);
  assert.ok(await arrivedAt(world, newer) > 120_000_000n);
});
