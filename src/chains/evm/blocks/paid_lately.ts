import { first, zip } from "../../../base/lists.ts";
import { mapInPortions } from "../../../base/waiting/in_portions.ts";
import { medianOf } from "../../../domain/money/fee_limit.ts";
import { askAll, lowerMedian } from "../../pool/compared.ts";
import type { Pool } from "../../pool/endpoints.ts";
import { hexOf, safeNumber } from "../decode.ts";
import { decodeBlock, type EvmBlock } from "./decode_block.ts";
import type { Rpc } from "../rpc.ts";

const BLOCKS = 5;

/**
 * Read from blocks, because a fee history is easier to make up. Blocks of an unused chain are
 * empty; there the base fee counts, since anybody would have paid at least that.
 */
export async function readPaidLately(pool: Pool<Rpc>): Promise<bigint> {
  return lowerMedian(await askAll(pool, paidOn));
}

async function paidOn(rpc: Rpc): Promise<bigint> {
  const newest = safeNumber(await rpc.call("eth_blockNumber", []), "a block number");
  const heights = Array.from({ length: Math.min(BLOCKS, newest + 1) }, (_, i) => newest - i);
  const answers = await rpc.results(
    heights.map((height) => ({
      method: "eth_getBlockByNumber",
      params: [hexOf(height), true],
    })),
  );
  const answered = zip(answers, heights);
  const blocks = await mapInPortions(answered, ([answer, height]) => decodeBlock(answer, height));
  return medianOf(blocks.flatMap((block) => paidIn(block) ?? [])) ?? first(blocks).baseFeeRaw;
}

/** Nobody can have paid less than the base fee, whatever the node reports. */
export function paidIn({ txs, baseFeeRaw }: EvmBlock): bigint | null {
  const median = medianOf(txs.flatMap(({ priceRaw }) => priceRaw > 0n ? [priceRaw] : []));
  if (median === undefined) return null;
  return median > baseFeeRaw ? median : baseFeeRaw;
}
