import assert from "node:assert/strict";
import { reconcile } from "../../../src/reconcile/reconcile.ts";
import type { Sweeping } from "../../../src/sweeps/batches.ts";
import { checkBooks, heldBy, PAID, startScene, statesOf } from "../../support/collecting.ts";
import {
  assertNoFaults,
  callSwept,
  depositStates,
  RECEIVER,
  signedFor,
} from "../../support/sweeping.ts";
import { alertsOf } from "../../support/views.ts";

Deno.test("tokens that count as swept and are still on their address are swept again", async () => {
  await using scene = await startScene(2);
  const { world, token } = scene;
  const [{ sweep }] = await scene.due() as [Sweeping];
  await callSwept(world.deps, sweep);
  assert.deepEqual((await depositStates(world)).toSorted(), ["confirmed", "swept"]);
  await reconcile(world.deps, { network: "ETH" });
  await world.turn(5);
  assert.equal(await heldBy(token, RECEIVER), 2n * PAID);
  assert.deepEqual(await depositStates(world), ["swept", "swept"]);
  assert.deepEqual(await statesOf(scene), ["done", "done", "done"]);
  const signed = (await signedFor(world, "sweep")).length;
  // Nothing is left, so nothing is found again.
  await reconcile(world.deps, { network: "ETH" });
  await world.turn(3);
  assert.equal((await signedFor(world, "sweep")).length, signed);
  assert.deepEqual(await alertsOf(world.deps), []);
  await checkBooks(scene);
  assertNoFaults(world);
});
