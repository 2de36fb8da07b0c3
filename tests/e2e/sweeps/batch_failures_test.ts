import assert from "node:assert/strict";
import { setNetwork } from "../../../src/networks/set.ts";
import { revokeOfGasWallet } from "../../../src/transfers/revoke.ts";
import { checkBooks, startScene, statesOf, switchOn } from "../../support/collecting.ts";
import { signedRows } from "../../support/signed_rows.ts";
import { sweepsOf } from "../../support/sweeping.ts";

Deno.test("what was sent gas that was revoked goes with the next batch", async () => {
  await using scene = await startScene(3);
  const { world, anvil } = scene;
  const { deps } = world;
  const collect = async (collect: "single" | "batch") =>
    await setNetwork(deps, { code: "ETH", change: { collect }, actor: "test" });
  await switchOn(scene, { collect: "batch" });
  await collect("single");
  await anvil.rpc("evm_setAutomine", [false]);
  await world.turn(1);
  assert.deepEqual(await statesOf(scene), Array(3).fill("funding"));
  await collect("batch");
  for (let i = 0; i < 3; i++) {
    await anvil.rpc("anvil_dropAllTransactions");
    await revokeOfGasWallet(deps, { network: "ETH", actor: "test" });
    await scene.look(1);
  }
  await scene.look(4);
  assert.deepEqual(
    (await sweepsOf(world)).map(({ failures, batchFailures }) => [failures, batchFailures]),
    Array(3).fill([1, 0]),
  );
  await anvil.rpc("evm_setAutomine", [true]);
  await world.turn(4);
  assert.deepEqual(await statesOf(scene), Array(3).fill("done"));
  const sweeps = (await signedRows(deps)).filter(({ purpose }) => purpose === "sweep");
  assert.deepEqual(sweeps.map(({ paymentCount }) => paymentCount), [3]);
  await checkBooks(scene);
});
