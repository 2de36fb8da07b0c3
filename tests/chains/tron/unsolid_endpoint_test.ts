import assert from "node:assert/strict";
import { UnfitNode } from "../../../src/chains/faults.ts";
import { connectTron } from "../../../src/chains/tron/mod.ts";
import {
  type Door,
  type OnCall,
  startTronNode,
  type TronNode,
} from "../../support/tron_node/start.ts";
import { fundBoth, makeTransfer, receiver, TRX } from "./sending.ts";

const USDT = { name: "Tether USD", symbol: "USDT", decimals: 6 };

/** `walletsolidity` is served by `wallet`, as behind a wrongly configured proxy. */
function unsolid({ url }: { url: string }): OnCall {
  return async ({ path, input }) => {
    if (!path.startsWith("/walletsolidity/")) return;
    const asked = new URL(path.replace("walletsolidity", "wallet"), url);
    return { body: await (await fetch(asked, { method: "POST", body: input })).text() };
  };
}

function chainOn(node: TronNode, doors: readonly Door[], quorum = 1) {
  const { id: genesisHash } = node.chain.blocks[0]!;
  const chainId = BigInt(`0x${genesisHash.slice(-8)}`).toString();
  const expected = { code: "TRX", chainId, genesisHash };
  return connectTron({ rpcUrls: doors.map(({ url }) => url), expected, quorum });
}

Deno.test("an endpoint whose walletsolidity is its wallet is out of use, with the reason", async () => {
  await using node = await startTronNode();
  const bad = await node.addDoor({ onCall: unsolid(node) });
  for (const ask of ["tip", "refAt"] as const) {
    const alone = chainOn(node, [bad]);
    await assert.rejects(
      ask === "tip" ? alone.tip() : alone.refAt(1),
      (error: Error) =>
        error instanceof UnfitNode &&
        /reports block 20 as final.*walletsolidity/.test(error.message),
    );
  }
  const chain = chainOn(node, [bad, node.door]);
  const { finalizedHeight } = await chain.tip();
  assert.equal(finalizedHeight, node.solid.number);
  const txHash = node.pay(receiver, TRX);
  const { number: height } = node.produce();
  assert.deepEqual([...await chain.finalView([{ txHash, height, succeeded: true }])], []);
  const other = await connectTron({ rpcUrls: [bad.url, node.url] }).tip();
  assert.equal(other.finalizedHeight, node.solid.number, "Also before it was added");
});

Deno.test("a repaired endpoint is used again; one that stays broken isn't asked meanwhile", async () => {
  await using node = await startTronNode();
  const bad = await node.addDoor({ onCall: unsolid(node) });
  let nowMs = Date.now();
  const { id: genesisHash } = node.chain.blocks[0]!;
  const chainId = BigInt(`0x${genesisHash.slice(-8)}`).toString();
  const chain = connectTron({
    rpcUrls: [bad.url],
    expected: { code: "TRX", chainId, genesisHash },
    waiting: { clock: { nowMs: () => nowMs }, sleep: () => Promise.resolve() },
  });
  await assert.rejects(chain.tip(), UnfitNode);
  const asked = bad.calls.length;
  await assert.rejects(chain.tip(), UnfitNode);
  assert.equal(bad.calls.length, asked);
  bad.onCall = () => {};
  nowMs += 11_000;
  assert.equal((await chain.tip()).finalizedHeight, node.solid.number);
});

Deno.test("a chain with few members, whose blocks solidify sooner, is followed if its node knows that", async () => {
  await using node = await startTronNode({ solidLag: 0 });
  node.produce();
  const chain = chainOn(node, [node.door]);
  assert.equal((await chain.tip()).finalizedHeight, node.head.number);
  node.door.onCall = ({ path }) =>
    path === "/wallet/getnodeinfo" ? { status: 404, body: "" } : undefined;
  await assert.rejects(chain.tip(), UnfitNode);
});

Deno.test("bytes that an endpoint took aren't called refused because it turns out to be unfit", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const bad = await node.addDoor();
  const other = await node.addDoor({
    onCall: ({ path }) => {
      if (path.endsWith("/gettransactionbyid")) return { body: "{}" };
      const refusal = { body: JSON.stringify({ code: "TAPOS_ERROR" }) };
      return path.endsWith("/broadcasthex") ? refusal : undefined;
    },
  });
  const chain = chainOn(node, [bad, other]);
  const { raw, txHash } = await makeTransfer(chain);
  const lies = unsolid(node);
  bad.onCall = async (call) => {
    if (!call.path.endsWith("/broadcasthex")) return await lies(call);
    await chain.tip();
    return undefined;
  };
  assert.equal((await chain.broadcast(raw)).kind, "accepted");
  assert.equal(node.produce().transactions[0]!.txId, txHash);
});

Deno.test("with a quorum of two, final is what two endpoints agree on, whatever a third one says", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const token = node.deployToken(USDT);
  token.mint(node.bank, 1_000n);
  const txHash = node.trigger(token.address, token.transferData(receiver, 7n));
  const { number: height } = node.produce();
  node.produce(18);
  const payment = { contract: token.address, to: receiver, position: 1, amountRaw: 7n };
  const real = { txHash, height, succeeded: true, payment };
  const made = { ...real, payment: { ...payment, amountRaw: 9n } };
  const says = (raw: string): OnCall => ({ path }) =>
    path === "/walletsolidity/gettransactioninfobyid"
      ? { edit: (text) => text.replaceAll(`${"0".repeat(63)}7`, `${"0".repeat(63)}${raw}`) }
      : undefined;
  const liar = await node.addDoor({ onCall: says("9") });
  const third = await node.addDoor();
  const two = chainOn(node, [liar, node.door], 2);
  for (const seen of [real, made]) assert.deepEqual([...await two.finalView([seen])], []);
  const three = chainOn(node, [liar, node.door, third], 2);
  assert.deepEqual([...await three.finalView([made])], []);
  assert.deepEqual([...await three.finalView([real])], [txHash]);
  assert.deepEqual(
    [...await chainOn(node, [liar, node.door]).finalView([made])],
    [txHash],
    "Without a quorum it would have been believed",
  );
});

Deno.test("an endpoint whose newest block is from no time at all doesn't count", async () => {
  await using node = await startTronNode();
  const misdate = (body: string) => body.replace(/"timestamp":\d+/, `"timestamp":${2n ** 62n}`);
  const wrong = await node.addDoor({ onCall: () => ({ edit: misdate }) });
  await assert.rejects(chainOn(node, [wrong]).tip(), /time is impossible/);
  const { height } = await chainOn(node, [wrong, node.door]).tip();
  assert.equal(height, node.head.number);
});
