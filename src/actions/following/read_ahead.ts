import type { BlockRef, Chain, ReadBlock, Tip } from "../../chains/chain.ts";
import type { Db } from "../../store/engine/db.ts";
import type { NetworkRow } from "../../store/tables/setup.ts";
import { type BlockRange, type OwnedBlocks, readBlocks } from "./read_blocks.ts";
import type { Deps } from "../deps.ts";

/** Blocks that are read while those before them are recorded. */
interface Ahead {
  readonly chain: Chain;
  readonly from: number;
  /** Another configuration may watch more than this one did. */
  readonly configVersion: number;
  readonly reading: Promise<OwnedBlocks>;
}

const aheadOf = new WeakMap<Db, Map<string, Ahead>>();

/** Begins to read what comes next; whoever wants it takes it from here. */
export async function readAhead(deps: Deps, range: BlockRange): Promise<void> {
  const { version: configVersion } = await deps.catalog.current();
  const { network, chain, from } = range;
  const reading = readBlocks(deps, range);
  // Whoever takes it hears what went wrong.
  reading.catch(() => {});
  marksOf(deps.db).set(network.code, { chain, from, configVersion, reading });
}

/**
 * What was read ahead, if it is what would be read now: by the same watch, on the block that was recorded
 * last, and with its end still in the chain. It is recorded as ever, step after step, from the cursor on.
 */
export async function takeAhead(deps: Deps, place: Place): Promise<OwnedBlocks | undefined> {
  const { network, chain, from } = place;
  const marks = marksOf(deps.db);
  const ahead = marks.get(network.code);
  if (!ahead) return undefined;
  marks.delete(network.code);
  const { version } = await deps.catalog.current();
  const isSameWatch = ahead.chain === chain && ahead.configVersion === version;
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

/** Blocks are linked: the last one vouches for all, as if they had been read this moment. */
async function isStillThere(
  blocks: readonly ReadBlock[],
  { chain, last, tip }: Place,
): Promise<boolean> {
  const end = blocks.at(-1)!.ref;
  if (blocks[0]!.ref.parentHash !== last?.hash || end.height > tip.height) return false;
  if (end.height === tip.height) return end.hash === tip.hash;
  return (await chain.refAt(end.height))?.hash === end.hash;
}

/** Nothing is asked of the node any more; what it answered waits for the next step. */
export async function aheadSettled({ db }: Deps, { code }: NetworkRow): Promise<void> {
  await marksOf(db).get(code)?.reading.catch(() => {});
}

function marksOf(db: Db): Map<string, Ahead> {
  const marks = aheadOf.get(db) ?? new Map<string, Ahead>();
  aheadOf.set(db, marks);
  return marks;
}
