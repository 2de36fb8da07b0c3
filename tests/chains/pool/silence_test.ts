import assert from "node:assert/strict";
import type { Chain } from "../../../src/chains/chain.ts";
import { NodeError } from "../../../src/chains/faults.ts";
import { connectEvm } from "../../../src/chains/evm/mod.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { fund, makeWallet, makeWatch, signed } from "../../support/nodes/evm_wallet.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { eventually } from "../../support/programs/eventually.ts";
import {
  NEVER,
  type NodeDouble,
  rpcError,
  startNodeDouble,
} from "../../support/nodes/node_double.ts";
import { startStopwatch } from "../../support/programs/stopwatch.ts";

/** A second or so; the machine may be busy with other tests. */
const SOON_MS = 3_500;
const wallet = makeWallet(1);
const to = makeWallet(2).address;
let anvil: Anvil;
let expected: { code: string; chainId: string; genesisHash: string };

Deno.test.beforeAll(async () => {
  anvil = await startAnvil();
  await fund(anvil, wallet.address);
  await anvil.mine(9);
  expected = { code: "ETH", ...await connectEvm({ rpcUrls: [anvil.url] }).identity() };
});
Deno.test.afterAll(() => anvil.stop());

const replaced = { txHash: `0x${"12".repeat(32)}`, sender: wallet.address, nonce: 0 };

/** Each is the first request of a new connection. */
const QUESTIONS: Readonly<Record<string, (chain: Chain) => Promise<unknown>>> = {
  identity: (chain) => chain.identity(),
  tip: (chain) => chain.tip(),
  refAt: (chain) => chain.refAt(3),
  witnesses: (chain) => chain.witnesses({ height: 0, hash: expected.genesisHash }),
  canTrace: (chain) => chain.canTrace(),
  readBlocks: (chain) => chain.readBlocks({ from: 1, to: 9 }, makeWatch([to])),
  walletState: (chain) => chain.walletState(to, []),
  outcome: (chain) => chain.outcome(replaced, { depth: 1 }),
};

async function within<T>(what: string, ask: () => Promise<T>): Promise<T> {
  using stopwatch = startStopwatch();
  const answer = await ask();
  const ms = stopwatch.ms();
  assert.ok(ms < SOON_MS, `${what} took ${ms.toFixed()} ms`);
  return answer;
}

for (const place of [0, 1, 2]) {
  for (const quorum of [1, 2]) {
    Deno.test(`a silent endpoint in place ${place} of three costs about a second once, with a quorum of ${quorum}`, async () => {
      await using silent = await startNodeDouble(anvil.url, () => Promise.resolve(NEVER));
      await using second = await startFaultProxy(anvil.url, () => "pass");
      const rpcUrls = [anvil.url, second.url].toSpliced(place, 0, silent.url);
      const direct = connectEvm({ rpcUrls: [anvil.url], expected });
      await Promise.all(
        Object.entries(QUESTIONS).map(async ([what, ask]) => {
          const chain = connectEvm({ rpcUrls, quorum, expected });
          const answer = await within(what, () => ask(chain));
          if (what === "witnesses") assert.equal(answer, 2);
          else if (what !== "outcome") assert.deepEqual(answer, await ask(direct), what);
          await within("tip", () => chain.tip());
          await within(`${what} again`, () => ask(chain));
        }),
      );
    });
  }
}

/** Answers until the test silences it. */
async function turning(isSilent: () => boolean): Promise<NodeDouble> {
  return await startNodeDouble(anvil.url, (_, ask) => isSilent() ? Promise.resolve(NEVER) : ask());
}

for (const quorum of [1, 2]) {
  Deno.test(`an endpoint that falls silent between poll and read isn't waited for, with a quorum of ${quorum}`, async () => {
    let isSilent = false;
    await using first = await turning(() => isSilent);
    await using second = await startFaultProxy(anvil.url, () => "pass");
    const chain = connectEvm({ rpcUrls: [first.url, second.url, anvil.url], quorum, expected });
    const read = () => chain.readBlocks({ from: 1, to: 9 }, makeWatch([to]));
    await chain.tip();
    await read();
    isSilent = true;
    assert.equal((await within("reading", read)).length, 9);
    assert.equal((await within("reading again", read)).length, 9);
  });
}

Deno.test("nothing is called replaced while an endpoint has just fallen silent, only later", async () => {
  let isSilent = false;
  await using last = await turning(() => isSilent);
  const chain = connectEvm({ rpcUrls: [anvil.url, last.url], expected });
  const nonceUsed = { ...replaced, sender: anvil.accounts[0]! };
  await anvil.rpc("eth_sendTransaction", [{ from: anvil.accounts[0], to, value: "0x1" }]);
  await anvil.mine(2);
  await chain.tip();
  isSilent = true;
  const outcome = () => within("outcome", () => chain.outcome(nonceUsed, { depth: 1 }));
  assert.equal((await outcome()).kind, "unseen");
  await within("tip", () => chain.tip());
  assert.equal((await outcome()).kind, "replaced");
});

Deno.test("a slow endpoint that is still there is heard, and may know better", async () => {
  let isSlow = false;
  await using last = await startNodeDouble(anvil.url, async (call, ask) => {
    if (isSlow && call.method === "eth_getTransactionReceipt") {
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      return rpcError(call, "not now");
    }
    return await ask();
  });
  const chain = connectEvm({ rpcUrls: [anvil.url, last.url], expected });
  await chain.tip();
  isSlow = true;
  const startedAt = performance.now();
  const sent = { ...replaced, sender: anvil.accounts[0]! };
  assert.equal((await chain.outcome(sent, { depth: 1 })).kind, "replaced");
  assert.ok(performance.now() - startedAt > 2_000, "It was waited for");
});

Deno.test('"nobody can trace" isn\'t said while an endpoint has just fallen silent', async () => {
  let isSilent = true;
  await using tracing = await turning(() => isSilent);
  await using other = await startFaultProxy(
    anvil.url,
    (method) => method.includes("trace") ? { status: 403, body: "" } : "pass",
  );
  const chain = connectEvm({ rpcUrls: [other.url, tracing.url], expected });
  await within("canTrace", () => assert.rejects(chain.canTrace(), NodeError));
  await chain.tip();
  assert.equal(await within("canTrace", () => chain.canTrace()), false);
  isSilent = false;
  await eventually(() => chain.canTrace(), { until: (can) => can });
});

Deno.test("if all are slow, the quorum says what is final, not whoever answers first", async () => {
  const slowly = (ms: number) =>
    startNodeDouble(anvil.url, async ({ id, params, ...call }, ask) => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      if (ms > 1_200 || params[0] !== "finalized") return await ask();
      const latest = await anvil.rpc("eth_getBlockByNumber", ["latest", false]);
      return { ...call, id, jsonrpc: "2.0", result: latest };
    });
  await using first = await slowly(1_200);
  await using second = await slowly(1_800);
  await using third = await slowly(1_800);
  const rpcUrls = [first.url, second.url, third.url];
  const height = Number(await anvil.rpc("eth_blockNumber"));
  const { finalizedHeight } = await connectEvm({ rpcUrls, quorum: 2 }).tip();
  assert.ok(finalizedHeight! < height, `${finalizedHeight}`);
});

Deno.test("if all are silent, nothing is made up", async () => {
  await using one = await startNodeDouble(anvil.url, () => Promise.resolve(NEVER));
  await using two = await startNodeDouble(anvil.url, () => Promise.resolve(NEVER));
  const chain = connectEvm({ rpcUrls: [one.url, two.url], expected, timeoutMs: 2_000 });
  await assert.rejects(chain.canTrace(), NodeError);
  await assert.rejects(chain.tip(), NodeError);
  const { raw } = await signed(connectEvm({ rpcUrls: [anvil.url] }), {
    wallet,
    nonce: 0,
    to,
    contract: null,
    amountRaw: 1n,
  });
  assert.notEqual((await chain.broadcast(raw)).kind, "accepted");
});
