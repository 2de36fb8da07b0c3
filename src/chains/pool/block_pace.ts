import { at, zip } from "../../base/lists.ts";
import type { SeenHeads, Tip } from "../chain.ts";

interface BlockPace {
  note(tip: Tip): Tip;
  seen(): SeenHeads;
}

const BLOCKS = 20;
/** Block times are whole seconds, so that the gaps between faster blocks are 0 or 1,000. */
const WHOLE_MS = 1_000;
const BLOCK_MS_MIN = 50;
const BLOCK_MS_MAX = 600_000;

/** After how long a block is expected: the median of the last 20, by their own times. */
export function createBlockPace(): BlockPace {
  let newest: Tip | undefined;
  const tips: Tip[] = [];
  return {
    note: (tip) => {
      const last = tips.at(-1);
      if (!last || tip.height > last.height) tips.push(tip);
      if (tips.length > BLOCKS + 1) tips.shift();
      newest = tip;
      return tip;
    },
    seen: () => ({ tip: newest ?? null, blockMs: expectedMs(tips) }),
  };
}

/** Of blocks that were not seen one by one, each took its share. */
function expectedMs(tips: readonly Tip[]): number | null {
  const shares = zip(tips.slice(0, -1), tips.slice(1)).flatMap(([before, after]) => {
    const blocks = Math.min(BLOCKS, after.height - before.height);
    return Array<number>(blocks).fill(msPerBlock(before, after));
  }).slice(-BLOCKS);
  if (shares.length < BLOCKS) return null;
  const median = at(shares.toSorted((a, b) => a - b), shares.length >> 1);
  const ms = median >= WHOLE_MS ? median : msPerBlock(at(tips, 0), at(tips, tips.length - 1));
  return ms <= 0 ? null : Math.min(BLOCK_MS_MAX, Math.max(BLOCK_MS_MIN, ms));
}

function msPerBlock(before: Tip, after: Tip): number {
  return (after.atMs - before.atMs) / (after.height - before.height);
}
