import type { Chain, Tip } from "../chains/chain.ts";
import { NodeError } from "../chains/faults.ts";
import type { NetworkRow } from "../store/tables/setup.ts";
import { planMovements } from "./plan_movements.ts";
import { CursorMoved, recordSightings } from "./record_movements.ts";
import { readBlocks } from "./read_blocks.ts";
import type { Deps } from "../deps/deps.ts";

const BLOCKS_MAX = 20;

/**
 * While thousands of blocks wait to be read, new payments should show up at once, so the newest
 * blocks are looked at in between, each once. Only the gapless reading counts.
 */
export async function peekAtTip(
  deps: Deps,
  { network, chain, tip }: { network: NetworkRow; chain: Chain; tip: Tip },
): Promise<void> {
  const { peekedTo } = deps.memory;
  const from = Math.max((peekedTo.get(network.code) ?? 0) + 1, tip.height - BLOCKS_MAX + 1);
  if (from > tip.height) return;
  try {
    const { blocks, owned } = await readBlocks(deps, { network, chain, from, to: tip.height });
    const plan = await planMovements(deps, { network, blocks, owned });
    await deps.db.write({
      reads: plan.reads,
      decide: (view) => recordSightings(view, { plan, network, nowMs: deps.clock.nowMs() }),
    });
    peekedTo.set(network.code, tip.height);
  } catch (error) {
    if (!(error instanceof NodeError || error instanceof CursorMoved)) throw error;
    deps.log.debug("newest blocks not looked at", { network: network.code, error: error.message });
  }
}
