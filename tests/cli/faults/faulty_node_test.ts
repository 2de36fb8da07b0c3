import assert from "node:assert/strict";
import { BROKEN_FAULTS, type FaultKind, LIES } from "../../../src/sandbox/faults/fault_kinds.ts";
import { evenly } from "../../../src/sandbox/faults/fault_plan.ts";
import { type FaultyNode, startFaultyNode } from "../../../src/sandbox/faults/faulty_node.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { fund, makeWallet, signed } from "../../support/nodes/evm_wallet.ts";
import { connectEvm } from "../../../src/chains/evm/mod.ts";

interface Heard {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const HEAD = { jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] };
const BATCH = [HEAD, { ...HEAD, id: 2, method: "eth_chainId" }];

async function post(node: FaultyNode, body: unknown): Promise<Heard> {
  const response = await fetch(node.url, { method: "POST", body: JSON.stringify(body) });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function only(kind: FaultKind, seed = 1) {
  return { seed, rate: 1, kinds: { [kind]: 1 } };
}

async function withNode(work: (node: FaultyNode, anvil: Anvil) => Promise<void>): Promise<void> {
  await using anvil = await startAnvil();
  await using node = await startFaultyNode(anvil.url);
  await work(node, anvil);
}

Deno.test("without a plan, a faulty node passes single and batch requests on and counts nothing", () =>
  withNode(async (node) => {
    assert.equal(JSON.parse((await post(node, HEAD)).text).result, "0x0");
    const replies = JSON.parse((await post(node, BATCH)).text);
    assert.deepEqual(replies.map(({ id, result }: typeof replies[0]) => [id, result]), [
      [1, "0x0"],
      [2, "0x7a69"],
    ]);
    assert.deepEqual(node.counts, { requests: 0, kinds: {} });
  }));

Deno.test("429 says when to come back, and 502 and 503 are pages", () =>
  withNode(async (node) => {
    node.follow(only("rate_limit"));
    const limited = await post(node, HEAD);
    assert.deepEqual([limited.status, limited.headers.get("retry-after")], [429, "1"]);
    node.follow(only("gateway_page"));
    const statuses = new Set<number>();
    for (let i = 0; i < 20; i++) {
      const { status, headers, text } = await post(node, HEAD);
      statuses.add(status);
      assert.equal(headers.get("content-type"), "text/html");
      assert.match(text, new RegExp(`^<html>.*${status}`));
    }
    assert.deepEqual([...statuses].toSorted(), [502, 503]);
    assert.deepEqual(node.counts, { requests: 21, kinds: { rate_limit: 1, gateway_page: 20 } });
  }));

Deno.test("an answer that is cut short is no JSON, and a late one is complete", () =>
  withNode(async (node) => {
    node.follow(only("truncate"));
    for (let i = 0; i < 20; i++) {
      const { status, text } = await post(node, BATCH);
      assert.equal(status, 200);
      assert.throws(() => JSON.parse(text), SyntaxError);
    }
    node.follow(only("delay"));
    assert.equal(JSON.parse((await post(node, BATCH)).text).length, 2);
  }));

Deno.test("a dropped request never reaches the node, a dropped answer does, and a doubled one counts once", () =>
  withNode(async (node, anvil) => {
    await anvil.rpc("evm_setAutomine", [false]);
    const wallet = makeWallet(1);
    await fund(anvil, wallet.address);
    const order = { to: wallet.address, contract: null, amountRaw: 0n, wallet, nonce: 0 };
    const { raw } = await signed(connectEvm({ rpcUrls: [anvil.url] }), order);
    const send = { ...HEAD, method: "eth_sendRawTransaction", params: [raw] };
    const pooled = async () => Number((await anvil.rpc("txpool_status")).pending);
    node.follow(only("drop_request"));
    await assert.rejects(post(node, send), TypeError);
    assert.equal(await pooled(), 0);
    node.follow(only("drop_answer"));
    await assert.rejects(post(node, send), TypeError);
    assert.equal(await pooled(), 1);
    const texts: string[] = [];
    for (let seed = 1; seed <= 8; seed++) {
      await anvil.rpc("anvil_dropAllTransactions");
      node.follow(only("duplicate", seed));
      texts.push((await post(node, send)).text);
      assert.equal(await pooled(), 1);
    }
    assert.ok(texts.some((text) => text.includes("result")));
    assert.ok(texts.some((text) => text.includes("already imported")));
  }));

Deno.test("a lagging node has an older head, and nothing else about it changes", () =>
  withNode(async (node, anvil) => {
    await anvil.mine(9);
    await post(node, HEAD);
    node.follow(only("lagging_head"));
    const replies = JSON.parse((await post(node, BATCH)).text);
    assert.ok(Number(replies[0].result) >= 4 && Number(replies[0].result) < 9);
    assert.deepEqual([replies[0].id, replies[1].result], [1, "0x7a69"]);
    assert.deepEqual(node.counts.kinds, { lagging_head: 1 });
  }));

Deno.test("a fault that finds nothing to work with passes, isn't counted, and asks the node once", () =>
  withNode(async (node, anvil) => {
    node.follow(only("stale"));
    for (let i = 0; i < 2; i++) await post(node, { ...HEAD, method: "evm_mine" });
    assert.equal(await anvil.rpc("eth_blockNumber"), "0x2");
    assert.deepEqual(node.counts, { requests: 2, kinds: {} });
  }));

Deno.test("the same requests in the same order get the same faults", () =>
  withNode(async (node) => {
    const kinds = evenly([...BROKEN_FAULTS, ...LIES]);
    const hear = async () => {
      node.follow({ seed: 5, rate: 0.5, kinds: { ...kinds, delay: 0 } });
      const heard = [];
      for (let i = 0; i < 60; i++) {
        heard.push(await post(node, i % 2 ? HEAD : BATCH).catch(() => undefined));
      }
      return heard.map((one) => one?.text);
    };
    await hear();
    assert.deepEqual(await hear(), await hear());
  }));
