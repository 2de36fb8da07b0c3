import { sleep, systemClock } from "../../../src/base/clock.ts";
import { closedUrl } from "./closed_url.ts";
import type { Anvil, Reply } from "./anvil.ts";
import { type Fault, startFaultProxy } from "./fault_proxy.ts";
import { showOnly } from "./lagging_node.ts";
import { NEVER, startNodeDouble } from "./node_double.ts";

interface BadNode extends AsyncDisposable {
  readonly url: string;
}

/** Ways in which one endpoint can be useless beside good ones. */
export const BAD_NODES = {
  dead: async () => await Promise.resolve({ url: closedUrl(), [Symbol.asyncDispose]: nothing }),
  silent: async ({ anvil }) => await startNodeDouble(anvil.url, () => Promise.resolve(NEVER)),
  "limiting every request": async ({ anvil }) =>
    await startFaultProxy(anvil.url, () => ({ status: 429, body: "" })),
  "answering every request with {}": async ({ anvil }) =>
    await startFaultProxy(anvil.url, () => ({ status: 200, body: "{}" })),
  lagging: async ({ anvil }) => {
    const proxy = await startFaultProxy(anvil.url, () => "pass");
    await showOnly(proxy, { anvil, tip: Number(await anvil.rpc("eth_blockNumber")) - 4 });
    return proxy;
  },
  "without any logs": async ({ anvil }) =>
    await startFaultProxy(
      anvil.url,
      (method) => method === "eth_getLogs" ? instead(() => []) : "pass",
    ),
  "1000 blocks ahead in its own words": async ({ anvil }) =>
    await startFaultProxy(
      anvil.url,
      (_method, [tag]) =>
        tag === "latest"
          ? instead((block) => ({
            ...block,
            number: `0x${(Number(block.number) + 1000).toString(16)}`,
          }))
          : "pass",
    ),
  "of a longer fork": async ({ fork }) => await startFaultProxy(fork.url, () => "pass"),
  "of another chain": async ({ other }) => await startFaultProxy(other.url, () => "pass"),
} as const satisfies Record<
  string,
  (nodes: { anvil: Anvil; fork: Anvil; other: Anvil }) => Promise<BadNode>
>;

/** Shorter waits for an endpoint that never answers. */
export const hasty = {
  clock: systemClock,
  sleep: (ms: number, signal?: AbortSignal) => sleep(ms / 4, signal),
};

function instead(change: (result: Reply) => unknown): Fault {
  return { edit: (reply) => ({ ...reply, result: change(reply.result) }) };
}

async function nothing(): Promise<void> {}

interface LyingNode extends BadNode {
  isLying: boolean;
}

/** Its prices are made up: what to tip, and what blocks ask for and were paid. */
export async function lyingPrices(
  anvil: Anvil,
  { tipRaw = 0n, baseRaw = 0n }: { tipRaw?: bigint; baseRaw?: bigint },
): Promise<LyingNode> {
  const [tip, base, price] = [tipRaw, baseRaw, tipRaw + baseRaw].map((raw) =>
    `0x${raw.toString(16)}`
  );
  const block = (it: Reply) => ({
    ...it,
    ...baseRaw > 0n ? { baseFeePerGas: base } : {},
    ...baseRaw > 0n && typeof it.transactions[0] === "object"
      ? { transactions: it.transactions.map((tx: Reply) => ({ ...tx, gasPrice: price })) }
      : {},
  });
  const lies: Record<string, Fault> = {
    eth_gasPrice: instead(() => price),
    eth_getBlockByNumber: instead((it) => it && block(it)),
    ...tipRaw > 0n
      ? {
        eth_maxPriorityFeePerGas: instead(() => tip),
        eth_feeHistory: instead((it) => ({ ...it, reward: it.reward.map(() => [tip]) })),
      }
      : {},
  };
  const node = { isLying: false };
  const proxy = await startFaultProxy(
    anvil.url,
    (method) => (node.isLying && lies[method]) || "pass",
  );
  return Object.assign(node, {
    url: proxy.url,
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  });
}
