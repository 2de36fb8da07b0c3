import assert from "node:assert/strict";
import { moveSweep } from "../../../src/books/move_sweep.ts";
import { Transactions } from "../../../src/deposits/tables/transactions.ts";
import { reconcile } from "../../../src/reconcile/reconcile.ts";
import { read, readAll } from "../../../src/store/engine/workspace.ts";
import { Sweeps } from "../../../src/sweeps/table.ts";
import {
  checkBooks,
  heldBy,
  PAID,
  type Scene,
  startScene,
  statesOf,
} from "../../support/collecting.ts";
import { assertNoFaults, depositStates, RECEIVER, signedFor } from "../../support/sweeping.ts";
import { alertsOf } from "../../support/views.ts";

/** As if the books had been told of a sweep that never was. */
async function callSwept({ world: { deps }, due }: Scene): Promise<void> {
  const [{ sweep: { id }, deposits }] = await due() as [Awaited<ReturnType<typeof due>>[number]];
  const nowMs = deps.clock.nowMs();
  await deps.db.write({
    reads: [read(Sweeps, [id]), ...readAll(Transactions, deposits.map((row) => [row.id]))],
    decide: (view) => {
      for (const trigger of ["signed", "mined"] as const) {
        const now = deposits.map((row) => view.get(Transactions, [row.id]));
        moveSweep(view, { id, trigger, deposits: now, nowMs });
      }
    },
  });
}

for (const currency of ["USDT", "ETH"] as const) {
  Deno.test(`${currency} that counts as swept and is still on its address is swept again`, async () => {
    const paidRaw = currency === "ETH" ? 10n ** 18n : PAID;
    await using scene = await startScene(2, { currency, paidRaw });
    const { world, anvil, token } = scene;
    const heldNow = () =>
      currency === "ETH"
        ? anvil.rpc("eth_getBalance", [RECEIVER, "latest"]).then(BigInt)
        : heldBy(token, RECEIVER);
    const before = await heldNow();
    await callSwept(scene);
    assert.deepEqual((await depositStates(world)).toSorted(), ["confirmed", "swept"]);
    await reconcile(world.deps, { network: "ETH" });
    await world.turn(5);
    const cameRaw = await heldNow() - before;
    // Coins pay for their own way.
    const costRaw = currency === "ETH" ? paidRaw / 1000n : 0n;
    assert.ok(cameRaw <= 2n * paidRaw && cameRaw >= 2n * paidRaw - costRaw, `${cameRaw}`);
    assert.deepEqual(await depositStates(world), ["swept", "swept"]);
    assert.deepEqual(await statesOf(scene), ["done", "done", "done"]);
    const signed = (await signedFor(world, "sweep")).length;
    // Nothing is left, so nothing is found again, and gas that stays there is no deposit.
    await reconcile(world.deps, { network: "ETH" });
    await world.turn(3);
    assert.equal((await signedFor(world, "sweep")).length, signed);
    assert.deepEqual(await alertsOf(world.deps), []);
    await checkBooks(scene);
    assertNoFaults(world);
  });
}
