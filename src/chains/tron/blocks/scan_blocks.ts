import { last, zip } from "../../../base/lists.ts";
import { mapInPortions } from "../../../base/waiting/in_portions.ts";
import type { HeightRange } from "../../chain.ts";
import { NodeError } from "../../faults.ts";
import { mapBounded } from "../../pool/map_bounded.ts";
import { RpcFailure } from "../../pool/node_errors.ts";
import { list, record } from "../decode.ts";
import type { BlockOfIds } from "./block.ts";
import { decodeBlock, type TronBlock, withInfos } from "./decode_block.ts";
import { decodeInfo, type TransactionInfo } from "./decode_info.ts";
import type { TronNode } from "../node.ts";
import { headerOn } from "../refs.ts";

/** Nodes serve up to 100; twenty full blocks are a few megabytes. */
const BLOCKS_PER_CALL = 20;
const CALLS_AT_ONCE = 8;

/** Linked blocks with the results of their transactions. */
export async function scanBlocks(
  node: TronNode,
  { from, to }: HeightRange,
): Promise<TronBlock[]> {
  const newest = node.memory.takeNewest(to);
  const below = await pagesOn(node, { from, to: newest ? to - 1 : to });
  const blocks = newest ? [...below, newest] : below;
  checkLinks(blocks);
  const scanned = await mapBounded(blocks, {
    concurrencyMax: CALLS_AT_ONCE,
    work: async (block) => withInfos(block, await infosOn(node, block)),
  });
  // The next block read will link to the newest one, or else it is read again.
  if (!newest) await checkStillThere(node, last(blocks));
  return scanned;
}

async function pagesOn(node: TronNode, { from, to }: HeightRange): Promise<BlockOfIds[]> {
  const starts: number[] = [];
  for (let start = from; start <= to; start += BLOCKS_PER_CALL) starts.push(start);
  const pages = await mapBounded(starts, {
    concurrencyMax: 2,
    work: (start) => pageOn(node, { from: start, to: Math.min(to, start + BLOCKS_PER_CALL - 1) }),
  });
  return pages.flat();
}

/** Each of several blocks may be as large as the chain allows. */
async function pageOn(node: TronNode, range: HeightRange): Promise<BlockOfIds[]> {
  const { from, to } = range;
  try {
    return await wholePageOn(node, range);
  } catch (error) {
    const isTooLarge = error instanceof RpcFailure && error.kind === "too_large";
    if (!isTooLarge || from === to) throw error;
  }
  const middle = Math.floor((from + to) / 2);
  const below = await pageOn(node, { from, to: middle });
  return [...below, ...await pageOn(node, { from: middle + 1, to })];
}

async function wholePageOn(node: TronNode, { from, to }: HeightRange): Promise<BlockOfIds[]> {
  const answer = await node.ask("wallet/getblockbylimitnext", { startNum: from, endNum: to + 1 });
  const { block = [] } = record(answer, "blocks");
  const decoded = await mapInPortions(list(block, "blocks"), decodeBlock);
  const blocks = decoded.toSorted((a, b) => a.header.height - b.header.height);
  const isWhole = blocks.length === to - from + 1 &&
    blocks.every(({ header }, i) => header.height === from + i);
  if (!isWhole) throw new NodeError(`${node.host} lacks some of the blocks ${from} to ${to}`);
  return blocks;
}

/** The genesis block distributes coins without results; no deposit is in it. */
async function infosOn(node: TronNode, block: BlockOfIds): Promise<TransactionInfo[]> {
  const { header: { height }, txs } = block;
  if (txs.length === 0 || height === 0) return [];
  const infos = await node.ask("wallet/gettransactioninfobyblocknum", { num: height });
  return await mapInPortions(list(infos, "a block's results"), decodeInfo);
}

function checkLinks(blocks: readonly BlockOfIds[]): void {
  for (const [{ header: before }, { header }] of zip(blocks.slice(0, -1), blocks.slice(1))) {
    if (header.parentHash === before.hash) continue;
    throw new NodeError(`Block ${header.height} does not follow the one before it`);
  }
}

/**
 * Results are asked for by height, so they belong to these blocks only if none was replaced
 * meanwhile.
 */
async function checkStillThere(node: TronNode, { header }: BlockOfIds): Promise<void> {
  const again = await headerOn(node, header.height);
  if (again?.hash === header.hash) return;
  throw new NodeError(`${node.host} changed block ${header.height} while it was read`);
}
