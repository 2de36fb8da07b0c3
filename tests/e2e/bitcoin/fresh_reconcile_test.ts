import assert from "node:assert/strict";
import { reconcile } from "../../../src/reconcile/reconcile.ts";
import { startLitecoinLater } from "../../support/litecoin_world.ts";
import { startLitecoind } from "../../support/nodes/litecoind.ts";

Deno.test("a program that has just started compares a chain of outputs, and reads it without traces", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startLitecoinLater(node);
  await node.pay(world.merchant.hotWallet, "1");
  for (let i = 0; i < 3; i++) {
    await node.mine(1);
    await world.round();
  }
  await world.restart();
  const { differences, skipped } = await reconcile(world.deps, { network: "LTC" });
  assert.deepEqual([differences, skipped], [[], []]);
});
