import assert from "node:assert/strict";
import { WrongChain } from "../../../src/chains/faults.ts";
import { connectEvm } from "../../../src/chains/evm/mod.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { type RpcReply, startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { hashOf } from "../../support/nodes/head_server.ts";

const EXPECTED = { code: "ETH", chainId: "31337", genesisHash: null };

Deno.test("another chain that answers behind the same URL is noticed by its first block", async () => {
  await using anvil = await startAnvil();
  let isOther = false;
  const edit = (reply: RpcReply) =>
    typeof reply.result === "string"
      ? { ...reply, result: "0x1" }
      : { ...reply, result: { ...Object(reply.result), hash: hashOf(8), parentHash: hashOf(7) } };
  await using proxy = await startFaultProxy(anvil.url, () => isOther ? { edit } : "pass");
  const chain = connectEvm({ rpcUrls: [proxy.url], expected: EXPECTED });
  for (let block = 0; block < 3; block++) {
    await anvil.mine(1);
    await chain.tip({ finalEveryBlocks: 40 });
  }
  const methods = (proxy.bodies.at(-1) ?? []).map(({ method }) => method);
  assert.deepEqual(methods, ["eth_getBlockByNumber"], "Nothing else needs to be asked");
  isOther = true;
  await assert.rejects(chain.tip({ finalEveryBlocks: 40 }), WrongChain);
});

Deno.test("what is final is asked for each time where something waits for it", async () => {
  await using anvil = await startAnvil({ args: ["--slots-in-an-epoch", "1"] });
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  const chain = connectEvm({ rpcUrls: [proxy.url], expected: EXPECTED });
  for (let block = 1; block <= 6; block++) {
    await anvil.mine(1);
    const tip = await chain.tip({ finalEveryBlocks: 1 });
    assert.equal(tip.finalizedHeight, Math.max(0, block - 2));
  }
});

Deno.test("blocks that are read one after the other are asked for once, and again if they are read again", async () => {
  await using anvil = await startAnvil();
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  const chain = connectEvm({ rpcUrls: [proxy.url], expected: EXPECTED });
  const watch = { contracts: [], traces: false, owned: () => Promise.resolve(new Set<string>()) };
  const readNewest = async () => {
    const { height, hash } = await chain.tip({ finalEveryBlocks: 40 });
    const [block] = await chain.readBlocks({ from: height, to: height }, watch);
    assert.equal(block?.ref.hash, hash);
    return height;
  };
  for (let block = 0; block < 4; block++) {
    await anvil.mine(1);
    await readNewest();
  }
  const before = proxy.bodies.length;
  await anvil.mine(1);
  const height = await readNewest();
  assert.deepEqual(proxy.bodies.slice(before).map((calls) => calls.map(({ params }) => params)), [
    [["latest", true]],
  ]);
  await chain.readBlocks({ from: height, to: height }, watch);
  assert.equal(proxy.bodies.length, before + 2);
});
