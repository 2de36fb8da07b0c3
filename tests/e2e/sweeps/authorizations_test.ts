import assert from "node:assert/strict";
import { keccak256, parseTransaction, recoverAuthorizationAddress } from "viem/utils";
import { collectorAddress, delegationTo } from "../../../src/chains/evm/collector/deployment.ts";
import { findNetwork } from "../../../src/books/find.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { asHex } from "../../../src/chains/evm/decode.ts";
import { NodeError } from "../../../src/chains/faults.ts";
import { releaseAddress } from "../../../src/collectors/release.ts";
import { collectTogether } from "../../../src/sweeps/batches.ts";
import { SignedTransactions } from "../../../src/transfers/table.ts";
import { lie, type Scene, startScene, statesOf, switchOn } from "../../support/collecting.ts";
import type { RpcReply } from "../../support/nodes/fault_proxy.ts";

const TWO_NODES = { hasSecondNode: true };

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
  const change = { collect: "single" } as const;
  await setNetwork(deps, { code: "ETH", change, actor: "test" });
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

/** The nonces of all authorizations signed so far, transaction by transaction. */
async function authorizedNonces({ world: { deps } }: Scene): Promise<number[][]> {
  const rows = await deps.db.rows(SignedTransactions, "ORDER BY id");
  return rows.map(({ raw }) => {
    const { authorizationList = [] } = parseTransaction(asHex(raw));
    return authorizationList.map(({ nonce }) => nonce);
  });
}

Deno.test("an authorization is for the lowest nonce of all nodes, so that none is left for later", async () => {
  await using scene = await startScene(3, TWO_NODES);
  const { world: { deps }, proxy, addresses } = scene;
  proxy.onCall = lie(addresses.slice(0, 1), { eth_getTransactionCount: "0x5" });
  const sweepings = await scene.due();
  const done = await collectTogether(deps, { place: await scene.place(), sweepings });
  assert.deepEqual(done.alone, []);
  assert.deepEqual(await authorizedNonces(scene), [[0, 0, 0]]);
  const asked = proxy.bodies.map((calls) =>
    calls.filter(({ method, params: [address] }) =>
      method === "eth_getTransactionCount" && addresses.includes(String(address))
    ).length
  );
  assert.deepEqual(new Set(asked), new Set([0, 3]), "One request for all");
});

Deno.test("a nonce that the books can't explain is only believed if all nodes say the same", async () => {
  await using scene = await startScene(3, TWO_NODES);
  const { world: { deps }, proxy, anvil, addresses } = scene;
  await anvil.rpc("anvil_setNonce", [addresses[0], "0x5"]);
  proxy.onCall = lie(addresses.slice(0, 1), { eth_getTransactionCount: "0x7" });
  const sweepings = await scene.due();
  const others = await collectTogether(deps, { place: await scene.place(), sweepings });
  assert.deepEqual(others.alone.map(({ address: { address } }) => address), [addresses[0]]);
  assert.deepEqual(await authorizedNonces(scene), [[0, 0]]);
});

Deno.test("that an address delegates is tried, so one node's word fails no order in its block", async () => {
  await using scene = await startScene(5, TWO_NODES);
  const { world: { deps }, proxy, addresses, collector } = scene;
  const hash = keccak256(delegationTo(collectorAddress(collector)));
  const wordsOf = (data: string): string[] => data.slice(2).match(/.{64}/g) ?? [];
  const liedAbout = addresses.slice(0, 2).map((address) =>
    address.slice(2).toLowerCase().padStart(64, "0")
  );
  proxy.onCall = (method, [call]) => {
    const asked = method === "eth_call" ? wordsOf((call as { data: string }).data) : [];
    if (!liedAbout.every((word) => asked.includes(word))) return "pass";
    const words = (result: unknown) =>
      wordsOf(String(result)).map((word, i) =>
        liedAbout.includes(asked[i]!) ? hash.slice(2) : word
      );
    return { edit: (reply) => ({ ...reply, result: `0x${words(reply.result).join("")}` }) };
  };
  const sweepings = await scene.due();
  const { alone } = await collectTogether(deps, { place: await scene.place(), sweepings });
  assert.deepEqual(alone.map(({ address: { address } }) => address), addresses.slice(0, 2));
  proxy.onCall = () => "pass";
  await scene.look(4);
  assert.deepEqual(await statesOf(scene), ["waiting", "waiting", "done", "done", "done"]);
});
