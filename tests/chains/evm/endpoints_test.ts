import assert from "node:assert/strict";
import { closedUrl } from "../../support/nodes/closed_url.ts";
import { NodeError } from "../../../src/chains/faults.ts";
import { connectEvm } from "../../../src/chains/evm/mod.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { hasty } from "../../support/nodes/bad_nodes.ts";
import { type Fault, startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { NEVER, startNodeDouble } from "../../support/nodes/node_double.ts";

let anvil: Anvil;
Deno.test.beforeAll(async () => {
  anvil = await startAnvil();
});
Deno.test.afterAll(() => anvil.stop());

const WALLET = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const failing: Fault = { status: 503, body: "" };

Deno.test("a read moves on to the next node if one is dead, and stays there", async () => {
  await using broken = await startFaultProxy(anvil.url, () => failing);
  await using alive = await startFaultProxy(anvil.url, () => "pass");
  const chain = connectEvm({ rpcUrls: [closedUrl(), broken.url, alive.url] });
  await chain.walletState(WALLET, []);
  assert.deepEqual([broken.bodies.length, alive.bodies.length], [1, 2]);
  await chain.walletState(WALLET, []);
  assert.deepEqual([broken.bodies.length, alive.bodies.length], [1, 4]);
});

Deno.test("a read asks a bounded number of nodes and names each that failed", async () => {
  await using broken = await startFaultProxy(anvil.url, () => failing);
  const chain = connectEvm({ rpcUrls: new Array(10).fill(broken.url) });
  await assert.rejects(chain.walletState(WALLET, []), (error) => {
    assert.ok(error instanceof NodeError);
    assert.match(error.message, /127.0.0.1:\d+ answered HTTP 503; .*503; .*503$/);
    return true;
  });
  assert.equal(broken.bodies.length, 3);
});

Deno.test("a silent node isn't waited for: the next one is asked as well", async () => {
  await using silent = await startNodeDouble(anvil.url, () => Promise.resolve(NEVER));
  await using alive = await startFaultProxy(anvil.url, () => "pass");
  const chain = connectEvm({ rpcUrls: [silent.url, alive.url], waiting: hasty });
  assert.equal((await chain.walletState(WALLET, [])).height, (await chain.tip()).height);
});

Deno.test("a poll is one request per node, also with a single node", async () => {
  await using first = await startFaultProxy(anvil.url, () => "pass");
  await using second = await startFaultProxy(anvil.url, () => "pass");
  const alone = connectEvm({ rpcUrls: [first.url] });
  await alone.tip();
  await alone.tip();
  assert.deepEqual(first.bodies.map((calls) => calls.length), [2, 2]);
  first.bodies.length = 0;
  const both = connectEvm({ rpcUrls: [first.url, second.url] });
  await both.tip();
  await anvil.mine(1);
  await both.tip();
  for (const { bodies } of [first, second]) {
    assert.deepEqual(bodies.map((calls) => calls.length), [2, 3]);
  }
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

Deno.test("the identity comes from the nodes that answer; if none does, there is none", async () => {
  const dead = closedUrl();
  const { chainId } = await connectEvm({ rpcUrls: [dead, anvil.url] }).identity();
  assert.equal(chainId, "31337");
  await assert.rejects(connectEvm({ rpcUrls: [dead, dead] }).identity(), NodeError);
});

Deno.test("a chain may lack the finalized tag, but a failure doesn't mean that it does", async () => {
  const answer = (error: { code: number; message: string }) =>
    startFaultProxy(anvil.url, (_method, [tag]) => {
      return tag === "finalized" ? { edit: ({ id }) => ({ id, error }) } : "pass";
    });
  await using without = await answer({ code: -32602, message: "invalid block tag" });
  assert.equal((await connectEvm({ rpcUrls: [without.url] }).tip()).finalizedAgeMs, null);
  await using busy = await answer({ code: -32005, message: "limit exceeded" });
  await assert.rejects(connectEvm({ rpcUrls: [busy.url] }).tip(), NodeError);
});

Deno.test("a node whose newest block is from no time at all doesn't count", async () => {
  for (const timestamp of ["0x1fffffffffffff", "0x60b9c7d4a1a00"]) {
    await using wrong = await startFaultProxy(anvil.url, (_method, [tag]) => {
      return tag === "latest"
        ? { edit: (reply) => ({ ...reply, result: { ...reply.result as object, timestamp } }) }
        : "pass";
    });
    await assert.rejects(connectEvm({ rpcUrls: [wrong.url] }).tip(), NodeError);
    const { atMs } = await connectEvm({ rpcUrls: [wrong.url, anvil.url] }).tip();
    assert.ok(Math.abs(atMs - Date.now()) < 86_400_000);
  }
});

Deno.test("the finalized height is the node's own", async () => {
  await using node = await startAnvil({ args: ["--slots-in-an-epoch", "2"] });
  await node.mine(20);
  const tip = await connectEvm({ rpcUrls: [node.url] }).tip();
  assert.deepEqual([tip.height, tip.finalizedHeight], [20, 16]);
});

Deno.test("the age of the finalized block comes from the blocks' own times (hazard 11)", async () => {
  await using node = await startAnvil({ args: ["--slots-in-an-epoch", "2"] });
  await node.rpc("anvil_mine", ["0x14", "0xc"]);
  const old = await node.rpc("eth_getBlockByNumber", ["0x5", false]);
  await using stale = await startFaultProxy(
    node.url,
    (_method, [tag]) =>
      tag === "finalized" ? { edit: (reply) => ({ ...reply, result: old }) } : "pass",
  );
  const mined = await Promise.all([5, 16, 20].map(async (height) => {
    const block = await node.rpc("eth_getBlockByNumber", [`0x${height.toString(16)}`, false]);
    return 1000 * Number(block.timestamp);
  }));
  const [outdated, fresh] = [[5, mined[2]! - mined[0]!], [16, mined[2]! - mined[1]!]];
  for (
    const [rpcUrls, expected] of [
      [[node.url], fresh],
      [[stale.url], outdated],
      [[stale.url, node.url], outdated],
      [[node.url, stale.url], outdated],
      [[stale.url, node.url, node.url.replace("127.0.0.1", "localhost")], fresh],
    ] as const
  ) {
    const { finalizedHeight, finalizedAgeMs } = await connectEvm({ rpcUrls }).tip();
    assert.deepEqual([finalizedHeight, finalizedAgeMs], expected);
  }
  const { finalizedHeight } = await connectEvm({ rpcUrls: [stale.url, node.url], quorum: 2 }).tip();
  assert.equal(finalizedHeight, 5, "with a quorum it is what so many endpoints call final");
});
