import { first } from "../../../base/lists.ts";
import type { Clock } from "../../../base/clock.ts";
import { NodeError } from "../../faults.ts";
import type { FeeModel } from "../../price.ts";
import type { ExpectedIdentity } from "../../pool/shown_identity.ts";
import { checkChainId } from "../shown_identity.ts";
import { hexOf, list, quantity, record } from "../decode.ts";
import { askAll, lowerMedian, upperMedian } from "../../pool/compared.ts";
import type { Pool } from "../../pool/endpoints.ts";
import type { BlockGas } from "../../pool/head.ts";
import type { GasPrice } from "./fees.ts";
import { OP_STACK_CALLS, type OpStackPrices, readOpStackPrices } from "./op_stack_fee.ts";
import type { Trials } from "./trials.ts";
import { resultOf, type RpcItem } from "../../pool/json/rpc_reply.ts";
import type { Rpc } from "../rpc.ts";

/** What all transactions of the moment share. */
export interface GasMarket {
  readonly chainId: number;
  readonly blockGasLimit: bigint;
  readonly price: GasPrice;
  readonly feeModel: FeeModel;
  /** Charges on top of gas; null if there are none. */
  readonly opStack: OpStackPrices | null;
}

interface Market {
  market(): Promise<GasMarket>;
  /** Undefined if a node has to be asked. */
  knownMarket(): GasMarket | undefined;
}

export interface PricedNode extends Trials, Market {
  /** By kind of transfer: the gas of the last one. */
  readonly lastGas: Map<string, bigint>;
}

const FRESH_MS = 1_000;
/** Longer ago, a newest block says nothing about now. */
const BLOCK_FRESH_MS = 15_000;
/** What people pay on top of the base fee changes slowly, and never is more than the limit for tips. */
const TIP_FRESH_MS = 600_000;
const TIP_ASKED_AGAIN_MS = 30_000;
const HISTORY_BLOCKS = 10;

interface MarketRules {
  readonly feeModel: FeeModel;
  readonly expected: ExpectedIdentity | undefined;
}

/**
 * Concurrent withdrawals share one answer. With several endpoints, no single one decides it. While
 * the newest blocks are seen anyway, base fee and limit are theirs; only tips are asked for, now
 * and then, and nobody waits for that.
 */
export function createGasMarket(
  pool: Pool<Rpc>,
  { clock, ...rules }: MarketRules & { clock: Clock },
): Market {
  let asked: Promise<GasMarket> | undefined;
  let askedAtMs = 0;
  let last: GasMarket | undefined;
  let lastAtMs = 0;

  function ask(): Promise<GasMarket> {
    const fresh = askAll(pool, (rpc) => readMarket(rpc, rules)).then(agreed);
    fresh.then((market) => {
      last = market;
      lastAtMs = clock.nowMs();
    }, () => {
      if (asked === fresh) asked = undefined;
    });
    asked = fresh;
    askedAtMs = clock.nowMs();
    return fresh;
  }

  function knownMarket(): GasMarket | undefined {
    // What L1 charges can't be limited by a signature, and a legacy price is all there is.
    if (!last || last.opStack !== null || last.price.kind === "legacy") return undefined;
    if (isOver(lastAtMs, { ms: TIP_FRESH_MS, clock })) return undefined;
    const blocks = newestBlocks(pool);
    if (blocks.length < Math.min(2, pool.endpoints.length)) return undefined;
    return {
      ...last,
      blockGasLimit: lowerMedian(blocks.map(({ limit }) => limit)),
      price: { ...last.price, baseRaw: lowerMedian(blocks.map(({ baseRaw }) => baseRaw)) },
    };
  }

  return {
    knownMarket: () => {
      const known = knownMarket();
      if (known && isOver(askedAtMs, { ms: TIP_ASKED_AGAIN_MS, clock })) ask().catch(() => {});
      return known;
    },
    market: () => asked && !isOver(askedAtMs, { ms: FRESH_MS, clock }) ? asked : ask(),
  };
}

/** Also after the clock was set back. */
function isOver(sinceMs: number, { ms, clock }: { ms: number; clock: Clock }): boolean {
  const ageMs = clock.nowMs() - sinceMs;
  return ageMs < 0 || ageMs >= ms;
}

/** Of all endpoints that have lately shown one, as the follower sees them. */
function newestBlocks(pool: Pool<Rpc>): BlockGas[] {
  return pool.endpoints.flatMap((endpoint) => {
    const { head, headSeenAtMs } = endpoint.seen;
    const ageMs = pool.nowMs() - headSeenAtMs;
    const isRecent = ageMs >= 0 && ageMs < BLOCK_FRESH_MS;
    const isOut = pool.isContradicted(endpoint) || endpoint.unfitness() !== undefined;
    return head?.gas && isRecent && !isOut ? [head.gas] : [];
  });
}

function agreed(markets: readonly GasMarket[]): GasMarket {
  const low = (pick: (market: GasMarket) => bigint) => lowerMedian(markets.map(pick));
  const stacks = markets.flatMap(({ opStack }) => opStack ?? []);
  return {
    ...first(markets),
    blockGasLimit: low((it) => it.blockGasLimit),
    price: agreedPrice(markets.map(({ price }) => price)),
    opStack: stacks.length === 0 ? null : agreedStack(stacks),
  };
}

/** If nodes disagree on whether there is a base fee, the majority is right. */
function agreedPrice(prices: readonly GasPrice[]): GasPrice {
  const dynamic = prices.filter((price) => price.kind === "eip1559");
  const legacy = prices.filter((price) => price.kind === "legacy");
  if (legacy.length > dynamic.length) {
    return { kind: "legacy", gasPriceRaw: lowerMedian(legacy.map((it) => it.gasPriceRaw)) };
  }
  return {
    kind: "eip1559",
    baseRaw: lowerMedian(dynamic.map((it) => it.baseRaw)),
    tipRaw: lowerMedian(dynamic.map((it) => it.tipRaw)),
  };
}

function agreedStack(stacks: readonly OpStackPrices[]): OpStackPrices {
  const high = (name: keyof OpStackPrices) => upperMedian(stacks.map((it) => it[name]));
  return {
    l1BaseFeeRaw: high("l1BaseFeeRaw"),
    l1BlobBaseFeeRaw: high("l1BlobBaseFeeRaw"),
    baseFeeScalar: high("baseFeeScalar"),
    blobBaseFeeScalar: high("blobBaseFeeScalar"),
    operatorFeeScalar: high("operatorFeeScalar"),
    operatorFeeConstantRaw: high("operatorFeeConstantRaw"),
  };
}

/** We sign for this chain id, so a node on another chain is ignored. */
async function readMarket(rpc: Rpc, { feeModel, expected }: MarketRules): Promise<GasMarket> {
  const [chainId, latest, gasPrice, history, suggestedTip, ...opStack] = await rpc.batch([
    { method: "eth_chainId", params: [] },
    { method: "eth_getBlockByNumber", params: ["latest", false] },
    { method: "eth_gasPrice", params: [] },
    { method: "eth_feeHistory", params: [hexOf(HISTORY_BLOCKS), "latest", [50]] },
    { method: "eth_maxPriorityFeePerGas", params: [] },
    ...feeModel === "op_stack" ? OP_STACK_CALLS : [],
  ]);
  const block = record(resultOf(latest), "the latest block");
  const base = block.baseFeePerGas;
  const price: GasPrice = base === undefined || base === null
    ? { kind: "legacy", gasPriceRaw: quantity(resultOf(gasPrice), "a gas price") }
    : {
      kind: "eip1559",
      baseRaw: quantity(base, "a base fee"),
      tipRaw: tipOf({ history, suggestedTip }),
    };
  return {
    chainId: checkChainId(resultOf(chainId), { host: rpc.host, expected }),
    blockGasLimit: quantity(block.gasLimit, "a block's gas limit"),
    price,
    feeModel,
    opStack: feeModel === "op_stack" ? readOpStackPrices(opStack.map(resultOf)) : null,
  };
}

function tipOf({ history, suggestedTip }: { history: RpcItem; suggestedTip: RpcItem }): bigint {
  const paid = history.ok ? medianTip(history.result) : undefined;
  if (paid === undefined && !suggestedTip.ok) {
    throw new NodeError("The node gives no tip: eth_feeHistory has none, and it suggests none");
  }
  return paid ?? quantity(resultOf(suggestedTip), "a suggested tip");
}

/** Only blocks in which somebody paid a tip count. */
function medianTip(answer: unknown): bigint | undefined {
  const rewards = record(answer, "a fee history").reward;
  if (rewards === undefined || rewards === null) return undefined;
  const tips = list(rewards, "rewards")
    .map((row) => quantity(list(row, "rewards of a block")[0], "a reward"))
    .filter((tip) => tip > 0n)
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return tips[tips.length >> 1];
}
