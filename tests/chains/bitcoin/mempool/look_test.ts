import assert from "node:assert/strict";
import { lookAtMempool, newMempoolMemory } from "../../../../src/chains/bitcoin/mempool/look.ts";
import { openNode } from "../../../../src/chains/bitcoin/node/node.ts";
import { networkOf } from "../../../../src/chains/bitcoin/params.ts";

const TXIDS = 300_000;

Deno.test("of 300,000 that wait, each look reads some, the newest first, and nothing twice", async () => {
  const txids = Array.from({ length: TXIDS }, (_, i) => i.toString(16).padStart(64, "0"));
  const listOf = (listed: readonly string[], sequence: number) =>
    `[{"result":{"txids":[${listed.map((txid) => `"${txid}"`).join(",")}],` +
    `"mempool_sequence":${sequence}},"error":null,"id":0}]`;
  let answer = listOf(txids, 1);
  const asked: string[] = [];
  let requests = 0;
  const fetch = async (_: string | URL | Request, init?: RequestInit) => {
    const calls: { id: number; method: string; params: string[] }[] = await new Response(init?.body)
      .json();
    requests++;
    if (calls[0]!.method === "getrawmempool") return new Response(answer);
    asked.push(...calls.map(({ params }) => params[0]!));
    return Response.json(calls.map(({ id }) => ({
      ...{ id, result: null },
      error: { code: -5, message: "No such mempool transaction" },
    })));
  };
  const line = { fetch, timeoutMs: 10_000, gate: <T>(send: () => Promise<T>) => send() };
  const node = openNode(networkOf("BTC"))("http://127.0.0.1:1")(line);
  const memory = newMempoolMemory();
  const nothing = () => Promise.resolve([]);
  const unasked = () => Promise.reject(new Error("It isn't asked"));
  const book = { unspentOf: nothing, heldAt: nothing, unminedAround: unasked, at: nothing };
  const watch = { owned: () => Promise.resolve(new Set<string>()) };
  const look = () =>
    lookAtMempool(node, { network: networkOf("BTC"), code: "BTC", book, watch, memory });

  await look();
  const first = new Set(asked);
  assert.equal(first.size, 1_000);
  assert.equal(requests, 1 + 10);
  const newest = "f".repeat(64);
  answer = listOf([...txids.slice(10), newest], 12);
  asked.length = 0;
  await look();
  assert.equal(asked[0], newest);
  assert.deepEqual(asked.filter((txid) => first.has(txid)), []);
  assert.equal(asked.length, 1_000);
  assert.equal(memory.listed.size, TXIDS - 10 + 1);
  // Nothing has changed: what is left is read on.
  asked.length = 0;
  await look();
  assert.equal(asked.length, 1_000);
});
