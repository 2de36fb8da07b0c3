import assert from "node:assert/strict";
import { hexOf } from "../../../src/chains/evm/decode.ts";
import { collectTogether } from "../../../src/sweeps/batches.ts";
import { checkBooks, heldBy, PAID, startScene, statesOf } from "../../support/collecting.ts";
import type { OnCall, RpcReply } from "../../support/nodes/fault_proxy.ts";
import { signedRows } from "../../support/signed_rows.ts";
import { RECEIVER } from "../../support/sweeping.ts";

const CUSTOMERS = 6;

/** A trial names the gas wallet and a limit. */
const isTrial = (method: string, [tx]: readonly unknown[]) => {
  const { from, gas } = Object(tx) as { from?: string; gas?: string };
  return method === "eth_call" && from !== undefined && gas !== undefined;
};

const NOT_MOVED: OnCall = (method, params) =>
  isTrial(method, params)
    ? { edit: (reply: RpcReply) => ({ ...reply, result: noneOf(String(reply.result)) }) }
    : "pass";

/** The same bytes, each of them zero, behind where they begin and how many they are. */
function noneOf(result: string): string {
  const head = 2 + 2 * 64;
  return result.slice(0, head) + "0".repeat(result.length - head);
}

const LIES: Readonly<Record<string, OnCall>> = {
  "would move nothing": NOT_MOVED,
  "needs 30 million gas": (method) =>
    method === "eth_estimateGas"
      ? { edit: (reply: RpcReply) => ({ ...reply, result: hexOf(30_000_000n) }) }
      : "pass",
  "can't be estimated": (method) =>
    method === "eth_estimateGas"
      ? {
        edit: ({ id }: RpcReply) => ({
          ...{ jsonrpc: "2.0", id },
          error: { code: 3, message: "execution reverted" },
        }),
      }
      : "pass",
};

for (const [what, onCall] of Object.entries(LIES)) {
  Deno.test(`a batch goes whole though the first node says that it ${what}`, async () => {
    await using scene = await startScene(CUSTOMERS, { hasSecondNode: true });
    scene.proxy.onCall = onCall;
    const done = await collectTogether(scene.world.deps, {
      place: await scene.place(),
      sweepings: await scene.due(),
    });
    assert.deepEqual(done, { alone: [], later: [] });
    await scene.look(4);
    assert.deepEqual(await statesOf(scene), Array(CUSTOMERS).fill("done"));
    assert.equal(await heldBy(scene.token, RECEIVER), BigInt(CUSTOMERS) * PAID);
    const signed = await signedRows(scene.world.deps);
    assert.deepEqual(signed.map(({ paymentCount }) => paymentCount), [CUSTOMERS]);
    await checkBooks(scene);
  });
}

Deno.test("what would move nothing by the word of all nodes is left to be tried alone", async () => {
  await using scene = await startScene(2);
  const { world: { deps }, proxy } = scene;
  proxy.onCall = NOT_MOVED;
  const sweepings = await scene.due();
  const trying = collectTogether(deps, { place: await scene.place(), sweepings });
  await assert.rejects(trying, /each of its orders would fail/);
});
