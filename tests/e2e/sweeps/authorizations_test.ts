import assert from "node:assert/strict";
import { recoverAuthorizationAddress } from "viem/utils";
import { findNetwork } from "../../../src/books/find.ts";
import { NodeError } from "../../../src/chains/faults.ts";
import { releaseAddress } from "../../../src/collectors/release.ts";
import { collectTogether } from "../../../src/sweeps/batches.ts";
import { SignedTransactions } from "../../../src/transfers/table.ts";
import { type Scene, startScene, statesOf, switchOn } from "../../support/collecting.ts";
import type { RpcReply } from "../../support/nodes/fault_proxy.ts";

/** Whoever signed what nodes were shown of authorizations that they could use. */
async function seenSigners({ proxy }: Scene): Promise<string[]> {
  const shown = proxy.bodies.flat()
    .filter(({ method }) => method !== "eth_sendRawTransaction")
    // deno-lint-ignore no-explicit-any -- what a node is asked
    .flatMap(({ params }) => (params[0] as any)?.authorizationList ?? []);
  return await Promise.all(
    shown.map(({ chainId, address, nonce, r, s, yParity }) => {
      const authorization = { chainId: Number(chainId), address, nonce: Number(nonce) };
      const signature = { r, s, yParity: Number(yParity) };
      return recoverAuthorizationAddress({ authorization, signature });
    }),
  );
}

Deno.test("no node sees what an address has authorized before the transaction with it is saved", async () => {
  await using scene = await startScene();
  const { world, addresses } = scene;
  const { deps } = world;
  await switchOn(scene, { collect: "batch" });
  await world.turn(4);
  assert.deepEqual(await statesOf(scene), Array(3).fill("done"));
  const network = await findNetwork(deps, "ETH");
  await releaseAddress(deps, { network, address: addresses[0]!, actor: "test" });
  const signers = await seenSigners(scene);
  assert.ok(signers.length >= addresses.length + 1, "Estimates with as many");
  assert.deepEqual(signers.filter((signer) => addresses.includes(signer)), []);
});

Deno.test("a batch isn't signed with gas that all its orders can't be carried out with", async () => {
  await using scene = await startScene();
  const { world: { deps }, proxy } = scene;
  const sweepings = await scene.due();
  const place = await scene.place();
  // As a node would that leaves out what it should pretend.
  proxy.onCall = (method) =>
    method === "eth_estimateGas"
      ? { edit: (reply: RpcReply) => ({ ...reply, result: "0x249f0" }) }
      : "pass";
  await assert.rejects(collectTogether(deps, { place, sweepings }), NodeError);
  assert.deepEqual(await deps.db.rows(SignedTransactions, ""), []);
});
