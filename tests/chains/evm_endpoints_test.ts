import assert from "node:assert/strict";
import { NodeError } from "../../src/chains/chain.ts";
import { connectEvm } from "../../src/chains/evm/mod.ts";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { startFaultProxy } from "../support/fault_proxy.ts";

let anvil: Anvil;
Deno.test.beforeAll(async () => {
  anvil = await startAnvil();
});
Deno.test.afterAll(() => anvil.stop());

async function closedUrl(): Promise<string> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  return await Promise.resolve(`http://127.0.0.1:${port}`);
}

Deno.test("a read moves on to the next node when one is dead, and stays there", async () => {
  await using alive = await startFaultProxy(anvil.url, () => "pass");
  await using limited = await startFaultProxy(anvil.url, () => ({ status: 429, body: "{}" }));
  const chain = connectEvm({ rpcUrls: [await closedUrl(), limited.url, alive.url] });
  await chain.tip();
  await chain.tip();
  assert.equal(limited.bodies.length, 1);
  assert.equal(alive.bodies.length, 2);
});

Deno.test("a read asks a bounded number of nodes and names each that failed", async () => {
  await using limited = await startFaultProxy(anvil.url, () => ({ status: 429, body: "{}" }));
  const chain = connectEvm({ rpcUrls: new Array(10).fill(limited.url) });
  await assert.rejects(chain.tip(), (error) => {
    assert.ok(error instanceof NodeError);
    assert.match(error.message, /127.0.0.1:\d+ answered HTTP 429; .*429; .*429$/);
    return true;
  });
  assert.equal(limited.bodies.length, 3);
});

Deno.test("the identity is the chain id and the hash of block 0", async () => {
  const { hash } = await anvil.rpc("eth_getBlockByNumber", ["0x0", false]);
  assert.deepEqual(await connectEvm({ rpcUrls: [anvil.url] }).identity(), {
    chainId: "31337",
    genesisHash: hash,
  });
});

Deno.test("nodes of two chains under one network are refused with both named (hazards 25, 50)", async () => {
  await using other = await startAnvil({ args: ["--chain-id", "56"] });
  const chain = connectEvm({ rpcUrls: [anvil.url, other.url] });
  await assert.rejects(chain.identity(), (error) => {
    assert.ok(error instanceof Error && !(error instanceof NodeError));
    assert.match(error.message, /chain 31337 with genesis 0x/);
    assert.match(error.message, /chain 56 with genesis 0x/);
    return true;
  });
});

Deno.test("nodes with one chain id and two histories are refused (hazard 51)", async () => {
  await using fork = await startAnvil({ args: ["--timestamp", "1000"] });
  const chain = connectEvm({ rpcUrls: [anvil.url, fork.url] });
  await assert.rejects(chain.identity(), /different chains/);
});

Deno.test("the identity comes from the nodes that answer, and from none it is no identity", async () => {
  const dead = await closedUrl();
  const { chainId } = await connectEvm({ rpcUrls: [dead, anvil.url] }).identity();
  assert.equal(chainId, "31337");
  await assert.rejects(connectEvm({ rpcUrls: [dead, dead] }).identity(), NodeError);
});

Deno.test("a chain without the finalized tag has none, and trouble is not such a chain", async () => {
  const answer = (error: { code: number; message: string }) =>
    startFaultProxy(anvil.url, (_method, [tag]) => {
      return tag === "finalized" ? { edit: ({ id }) => ({ id, error }) } : "pass";
    });
  await using without = await answer({ code: -32602, message: "invalid block tag" });
  assert.equal((await connectEvm({ rpcUrls: [without.url] }).tip()).finalizedHeight, null);
  await using busy = await answer({ code: -32005, message: "limit exceeded" });
  await assert.rejects(connectEvm({ rpcUrls: [busy.url] }).tip(), NodeError);
});

Deno.test("the finalized height is the node's own", async () => {
  await using node = await startAnvil({ args: ["--slots-in-an-epoch", "2"] });
  await node.mine(20);
  const tip = await connectEvm({ rpcUrls: [node.url] }).tip();
  assert.deepEqual([tip.height, tip.finalizedHeight], [20, 16]);
});
