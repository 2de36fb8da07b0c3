import { last } from "../base/lists.ts";
import { NodeError } from "../chains/faults.ts";
import type { Deps } from "../deps/deps.ts";
import type { NetworkRow } from "../networks/table.ts";
import type { SignedTransactionRow } from "../transfers/table.ts";
import { readWith } from "./read_blocks.ts";
import { CursorMoved } from "./record_movements.ts";
import { recordAgain } from "./rescan.ts";

/** While nodes go on disagreeing, reading changes nothing. */
const AGAIN_AFTER_MS = 180_000;
const BLOCKS_AT_ONCE_MAX = 10;

/**
 * Nodes contradict what was recorded of these transactions of ours, and whichever of them was read
 * may have told the truth since, so their blocks are read again. Nothing else of those blocks is
 * recorded: what was credited by them is not for one node to take back.
 */
export async function readAgain(
  deps: Deps,
  { network, contradicted }: {
    network: NetworkRow;
    contradicted: readonly SignedTransactionRow[];
  },
): Promise<void> {
  if (contradicted.length === 0) return;
  const { readAgain } = deps.memory;
  const before = readAgain.get(network.code) ?? { atMs: -Infinity, height: -1 };
  const atMs = deps.clock.nowMs();
  const ageMs = atMs - before.atMs;
  // Also if the clock was set back.
  if (ageMs >= 0 && ageMs < AGAIN_AFTER_MS) return;
  const byHeight = Map.groupBy(contradicted, ({ blockNumber }) => blockNumber);
  const heights = [...byHeight.keys()].toSorted((a, b) => a - b);
  // Those that stay contradicted are in the way of no other.
  const inTurn = [
    ...heights.filter((height) => height > before.height),
    ...heights.filter((height) => height <= before.height),
  ].slice(0, BLOCKS_AT_ONCE_MAX);
  readAgain.set(network.code, { atMs, height: last(inTurn) });
  for (const height of inTurn) {
    const txHashes = new Set(byHeight.get(height)?.map(({ txHash }) => txHash));
    await readBlock(deps, { network, height, txHashes });
  }
}

async function readBlock(
  deps: Deps,
  { network, height, txHashes }: {
    network: NetworkRow;
    height: number;
    txHashes: ReadonlySet<string>;
  },
): Promise<void> {
  const chain = deps.chains.of(network);
  const fields = { network: network.code, height };
  try {
    const range = { network, chain, from: height, to: height, traces: false };
    const { blocks, owned } = await readWith(deps, range);
    const own = blocks.map((block) => ({
      ...block,
      transfers: [],
      spends: block.spends.filter(({ txHash }) => txHashes.has(txHash)),
      outputs: (block.outputs ?? []).filter(({ txHash }) => txHashes.has(txHash)),
    }));
    await recordAgain(deps, { network, blocks: own, owned });
    deps.log.warn("a block was read again", fields);
  } catch (error) {
    if (!(error instanceof NodeError || error instanceof CursorMoved)) throw error;
    deps.log.warn("a block could not be read again", { ...fields, error: error.message });
  }
}
