import assert from "node:assert/strict";
import { nextTurn } from "../../../src/base/waiting/next_turn.ts";
import type { Chain } from "../../../src/chains/chain.ts";
import { NodeError } from "../../../src/chains/faults.ts";
import { connectEvm } from "../../../src/chains/evm/mod.ts";
import type { PoolSettings } from "../../../src/chains/pool/open_pool.ts";
import type { RpcCall } from "../../../src/sandbox/faults/rpc_proxy.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { fund, makeWallet, makeWatch, signed } from "../../support/nodes/evm_wallet.ts";
import { NEVER, rpcError } from "../../support/nodes/node_double.ts";

/** After half a second a node is asked something small, and has 0.7 s to answer that. */
const SOON_MS = 1_200;
/** What was asked while it was silent is given up. */
const BACK_MS = 5_000;
/** Of the event loop: whatever can go on without a node or a timer has done so. */
const TURNS = 20;

/**
 * A time that passes only while everybody waits for it: for an anvil on a busy machine it stands
 * still, so a healthy node is never late.
 */
class QuietTime implements Disposable {
  readonly #waits = new Set<{ readonly atMs: number; readonly end: () => void }>();
  readonly #timeout = AbortSignal.timeout;
  #nowMs = 1_000_000;
  #busy = 0;
  #rest = Promise.withResolvers<void>();

  constructor() {
    AbortSignal.timeout = (ms) => {
      const controller = new AbortController();
      const late = new DOMException("Signal timed out.", "TimeoutError");
      this.#after(ms, () => controller.abort(late));
      return controller.signal;
    };
  }

  [Symbol.dispose](): void {
    AbortSignal.timeout = this.#timeout;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const cancel = this.#after(ms, resolve);
      signal?.addEventListener("abort", () => {
        cancel();
        resolve();
      }, { once: true });
    });
  }

  #after(ms: number, end: () => void): () => void {
    const wait = { atMs: this.#nowMs + ms, end };
    this.#waits.add(wait);
    return () => this.#waits.delete(wait);
  }

  /** What a real node does takes no time. */
  async real<T>(work: () => Promise<T>): Promise<T> {
    this.#busy++;
    try {
      return await work();
    } finally {
      this.#busy--;
      this.#rest.resolve();
    }
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    let isDone = false;
    const done = work().finally(() => isDone = true);
    done.catch(() => {});
    for (;;) {
      for (let turn = 0; turn < TURNS; turn++) await nextTurn();
      if (isDone) return await done;
      if (this.#busy > 0) {
        this.#rest = Promise.withResolvers();
        await this.#rest.promise;
        continue;
      }
      const [next] = [...this.#waits].sort((a, b) => a.atMs - b.atMs);
      assert.ok(next, "Nothing can happen any more");
      this.#waits.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.end();
    }
  }
}

/** What a node answers itself; undefined: what the anvil behind it does. */
type Manner = (call: RpcCall) => unknown;

const plain: Manner = () => undefined;
const silent: Manner = () => NEVER;

/** A network of these nodes. */
function nodesOf(
  time: QuietTime,
  manners: readonly Manner[],
): Required<Pick<PoolSettings, "rpcUrls" | "waiting" | "fetch">> {
  const answer = async (manner: Manner, body: string): Promise<Response> => {
    const asked: RpcCall | RpcCall[] = JSON.parse(body);
    const own = await Promise.all([asked].flat().map(manner));
    if (own.includes(NEVER)) return await new Promise(() => {});
    const refusal = own.find((one) => one instanceof Response);
    if (refusal) return refusal;
    return await time.real(async () => {
      const headers = { "content-type": "application/json" };
      const response = await fetch(anvil.url, { method: "POST", headers, body });
      const given = [await response.json()].flat();
      const replies = given.map((reply, i) => own[i] ?? reply);
      return Response.json(Array.isArray(asked) ? replies : replies[0]);
    });
  };
  return {
    rpcUrls: manners.map((_, i) => `http://node-${i}`),
    waiting: { clock: time, sleep: (ms, signal) => time.sleep(ms, signal) },
    fetch: (input, init) => {
      const manner = manners[Number(new URL(String(input)).host.slice("node-".length))]!;
      const { promise, reject } = Promise.withResolvers<never>();
      init!.signal!.addEventListener("abort", () => reject(init!.signal!.reason), { once: true });
      return Promise.race([promise, answer(manner, String(init!.body))]);
    },
  };
}

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

/** In the time's own milliseconds. */
async function within<T>(
  time: QuietTime,
  { what, ms = SOON_MS }: { what: string; ms?: number },
  ask: () => Promise<T>,
): Promise<T> {
  const startedAtMs = time.nowMs();
  const answer = await ask();
  const tookMs = time.nowMs() - startedAtMs;
  assert.ok(tookMs <= ms, `${what} took ${tookMs} ms`);
  return answer;
}

for (const place of [0, 1, 2]) {
  for (const quorum of [1, 2]) {
    Deno.test(`a silent endpoint in place ${place} of three costs about a second once, with a quorum of ${quorum}`, async () => {
      using time = new QuietTime();
      const direct = connectEvm({ rpcUrls: [anvil.url], expected });
      const right = new Map<string, unknown>();
      for (const [what, ask] of Object.entries(QUESTIONS)) right.set(what, await ask(direct));
      await time.run(() =>
        Promise.all(
          Object.entries(QUESTIONS).map(async ([what, ask]) => {
            const nodes = nodesOf(time, [plain, plain].toSpliced(place, 0, silent));
            const chain = connectEvm({ ...nodes, quorum, expected });
            const answer = await within(time, { what }, () => ask(chain));
            if (what === "witnesses") assert.equal(answer, 2);
            else if (what !== "outcome") assert.deepEqual(answer, right.get(what), what);
            await within(time, { what: "tip" }, () => chain.tip());
            await within(time, { what: `${what} again` }, () => ask(chain));
          }),
        )
      );
    });
  }
}

for (const quorum of [1, 2]) {
  Deno.test(`an endpoint that falls silent between poll and read isn't waited for, with a quorum of ${quorum}`, async () => {
    using time = new QuietTime();
    let isSilent = false;
    const nodes = nodesOf(time, [() => isSilent ? NEVER : undefined, plain, plain]);
    const chain = connectEvm({ ...nodes, quorum, expected });
    const read = () => chain.readBlocks({ from: 1, to: 9 }, makeWatch([to]));
    await time.run(async () => {
      await chain.tip();
      await read();
      isSilent = true;
      assert.equal((await within(time, { what: "reading" }, read)).length, 9);
      assert.equal((await within(time, { what: "reading again" }, read)).length, 9);
    });
  });
}

Deno.test("nothing is called replaced while an endpoint has just fallen silent, only later", async () => {
  using time = new QuietTime();
  let isSilent = false;
  const nodes = nodesOf(time, [plain, () => isSilent ? NEVER : undefined]);
  const chain = connectEvm({ ...nodes, expected });
  const nonceUsed = { ...replaced, sender: anvil.accounts[0]! };
  await anvil.rpc("eth_sendTransaction", [{ from: anvil.accounts[0], to, value: "0x1" }]);
  await anvil.mine(2);
  await time.run(async () => {
    await chain.tip();
    isSilent = true;
    const outcome = () =>
      within(time, { what: "outcome" }, () => chain.outcome(nonceUsed, { depth: 1 }));
    assert.equal((await outcome()).kind, "unseen");
    await within(time, { what: "tip" }, () => chain.tip());
    assert.equal((await outcome()).kind, "replaced");
  });
});

Deno.test("a slow endpoint that is still there is heard, and may know better", async () => {
  using time = new QuietTime();
  let isSlow = false;
  const slow: Manner = async (call) => {
    if (!isSlow || call.method !== "eth_getTransactionReceipt") return undefined;
    await time.sleep(2_500);
    return rpcError(call, "not now");
  };
  const chain = connectEvm({ ...nodesOf(time, [plain, slow]), expected });
  await time.run(async () => {
    await chain.tip();
    isSlow = true;
    const startedAtMs = time.nowMs();
    const sent = { ...replaced, sender: anvil.accounts[0]! };
    assert.equal((await chain.outcome(sent, { depth: 1 })).kind, "replaced");
    assert.equal(time.nowMs() - startedAtMs, 2_500, "It was waited for");
  });
});

Deno.test('"nobody can trace" isn\'t said while an endpoint has just fallen silent', async () => {
  using time = new QuietTime();
  let isSilent = true;
  const untraced: Manner = ({ method }) =>
    method.includes("trace") ? new Response("", { status: 403 }) : undefined;
  const nodes = nodesOf(time, [untraced, () => isSilent ? NEVER : undefined]);
  const chain = connectEvm({ ...nodes, expected });
  const canTrace = () => within(time, { what: "canTrace" }, () => chain.canTrace());
  await time.run(async () => {
    await assert.rejects(canTrace(), NodeError);
    await chain.tip();
    assert.equal(await canTrace(), false);
    isSilent = false;
    const isBackAtMs = time.nowMs();
    while (!await chain.canTrace()) assert.ok(time.nowMs() - isBackAtMs <= BACK_MS);
  });
});

Deno.test("if all are slow, the quorum says what is final, not whoever answers first", async () => {
  using time = new QuietTime();
  const slowly = (ms: number): Manner => async ({ id, params, ...call }) => {
    await time.sleep(ms);
    if (ms > 1_200 || params[0] !== "finalized") return undefined;
    const latest = () => anvil.rpc("eth_getBlockByNumber", ["latest", false]);
    return { ...call, id, jsonrpc: "2.0", result: await time.real(latest) };
  };
  const nodes = nodesOf(time, [slowly(1_200), slowly(1_800), slowly(1_800)]);
  const height = Number(await anvil.rpc("eth_blockNumber"));
  const { finalizedHeight } = await time.run(() => connectEvm({ ...nodes, quorum: 2 }).tip());
  assert.ok(finalizedHeight! < height, `${finalizedHeight}`);
});

Deno.test("if all are silent, nothing is made up", async () => {
  using time = new QuietTime();
  const chain = connectEvm({ ...nodesOf(time, [silent, silent]), expected, timeoutMs: 2_000 });
  const { raw } = await signed(connectEvm({ rpcUrls: [anvil.url] }), {
    wallet,
    nonce: 0,
    to,
    contract: null,
    amountRaw: 1n,
  });
  await time.run(async () => {
    await assert.rejects(chain.canTrace(), NodeError);
    await assert.rejects(chain.tip(), NodeError);
    assert.notEqual((await chain.broadcast(raw)).kind, "accepted");
  });
});
