import type { Clock } from "../../../base/clock.ts";
import { askAll, lowerMedian } from "../../pool/compared.ts";
import type { Pool } from "../../pool/endpoints.ts";
import type { BitcoinNode } from "../node/node.ts";

/** For 1,000 bytes, in base units. */
export interface FeeMarket {
  readonly rateRaw: bigint;
  /** What a replacement adds at least. */
  readonly incrementRaw: bigint;
}

/** Without an estimate: 2 for a byte. */
const UNKNOWN_RATE_RAW = 2_000n;
/** Most nodes ask for that, whatever ours say: 1 for a byte. */
const LEAST_INCREMENT_RAW = 1_000n;
const LASTS_MS = 10_000;

/** Asked of all nodes now and then, not for each payment. */
export function createFeeMarket(
  pool: Pool<BitcoinNode>,
  { clock, targetBlocks }: { clock: Clock; targetBlocks: number },
): () => Promise<FeeMarket> {
  let known: { readonly atMs: number; readonly market: Promise<FeeMarket> } | undefined;
  return () => {
    const nowMs = clock.nowMs();
    if (known && nowMs >= known.atMs && nowMs < known.atMs + LASTS_MS) return known.market;
    const asked = { atMs: nowMs, market: ask(pool, targetBlocks) };
    known = asked;
    asked.market.catch(() => {
      if (known === asked) known = undefined;
    });
    return asked.market;
  };
}

/** If it is too little, a node refuses, and nothing is lost; if it is too much, it is paid. */
async function ask(pool: Pool<BitcoinNode>, targetBlocks: number): Promise<FeeMarket> {
  const said = await askAll(pool, (node) => marketOn(node, targetBlocks));
  return {
    rateRaw: lowerMedian(said.map(({ rateRaw }) => rateRaw)),
    incrementRaw: max(LEAST_INCREMENT_RAW, lowerMedian(said.map((one) => one.incrementRaw))),
  };
}

async function marketOn(node: BitcoinNode, targetBlocks: number): Promise<FeeMarket> {
  const [estimateRaw, { minFeeRaw }, { incrementalFeeRaw }] = await Promise.all([
    node.estimateFee(targetBlocks),
    node.mempoolInfo(),
    node.networkInfo(),
  ]);
  const rateRaw = estimateRaw ?? max(UNKNOWN_RATE_RAW, 2n * minFeeRaw);
  return { rateRaw: max(rateRaw, minFeeRaw), incrementRaw: incrementalFeeRaw };
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
