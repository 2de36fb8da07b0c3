import { first } from "../base/lists.ts";
import type { BlockRef, Chain, ReadBlock, Tip } from "../chains/chain.ts";
import type { Deps } from "../deps/deps.ts";
import type { OwnedBlocks } from "./ahead.ts";
import { type BlockRange, readBlocks } from "./read_blocks.ts";
import type { NetworkRow } from "../networks/table.ts";

/** Starts reading the next blocks; `takeAhead` picks them up. */
export async function readAhead(deps: Deps, range: BlockRange): Promise<void> {
  const { version: configVersion } = await deps.catalog.current();
  const { db, memory } = deps;
  const { network, chain, from } = range;
  const reading = readBlocks(deps, range);
  // `takeAhead` gets the error.
  reading.catch(() => {});
  memory.blocksAhead.set(network.code, { db, chain, from, configVersion, reading });
}

/**
 * The blocks read ahead, if they are what would be read now: the same watch, linked to the last
 * recorded block, and still in the chain. They are recorded as usual, step by step from the cursor.
 */
export async function takeAhead(deps: Deps, place: Place): Promise<OwnedBlocks | undefined> {
  const { network, chain, from } = place;
  const { db, memory: { blocksAhead } } = deps;
  const ahead = blocksAhead.get(network.code);
  if (!ahead) return undefined;
  blocksAhead.delete(network.code);
  const { version } = await deps.catalog.current();
  const isSameWatch = ahead.db === db && ahead.chain === chain && ahead.configVersion === version;
  if (!isSameWatch || ahead.from !== from) {
    await ahead.reading.catch(() => {});
    return undefined;
  }
  const read = await ahead.reading;
  return await isStillThere(read.blocks, place) ? read : undefined;
}

interface Place {
  readonly network: NetworkRow;
  readonly chain: Chain;
  readonly from: number;
  readonly last: BlockRef | undefined;
  readonly tip: Tip;
}

/** Blocks are linked, so the last one vouches for all, as if they were read now. */
async function isStillThere(
  blocks: readonly ReadBlock[],
  { chain, last, tip }: Place,
): Promise<boolean> {
  const end = blocks.at(-1)!.ref;
  if (first(blocks).ref.parentHash !== last?.hash || end.height > tip.height) return false;
  if (end.height === tip.height) return end.hash === tip.hash;
  return (await chain.refAt(end.height))?.hash === end.hash;
}

/** Waits until the node is no longer asked; the answer stays for the next step. */
export async function waitForReadAhead({ memory }: Deps, { code }: NetworkRow): Promise<void> {
  await memory.blocksAhead.get(code)?.reading.catch(() => {});
}
