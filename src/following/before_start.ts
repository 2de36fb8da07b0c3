import type { Chain, Tip } from "../chains/chain.ts";
import { NodeError } from "../chains/faults.ts";
import type { Deps } from "../deps/deps.ts";
import { TRACED_BELOW_TIP_MAX } from "./read_blocks.ts";
import { rememberedBlocks } from "./reads.ts";
import { NetworkBlocks, type NetworkCursorRow, NetworkCursors } from "./table.ts";
import type { NetworkRow } from "../networks/table.ts";
import { read } from "../store/engine/workspace.ts";

/** A final block is usually less deep than this many times the confirmations asked for. */
const FINAL_DEPTH_FACTOR = 2;

/**
 * If the start block lies ahead of the chain, a new cursor stands on a block that nobody has seen,
 * and whatever a rescan finds would look as deep as that. So the cursor moves back onto the chain,
 * and the blocks up to the start block are read like others, but record nothing new. True if it
 * moved.
 */
export async function moveOntoChain(
  deps: Deps,
  { network, chain, cursor, tip }: {
    network: NetworkRow;
    chain: Chain;
    cursor: NetworkCursorRow;
    tip: Tip;
  },
): Promise<boolean> {
  if (!isAhead(network, { cursor, tip })) return false;
  if ((await rememberedBlocks(deps.db, network.code)).length > 0) return false;
  const back = Math.min(FINAL_DEPTH_FACTOR * network.minConfirmations, TRACED_BELOW_TIP_MAX);
  const height = Math.max(0, tip.height - back);
  const ref = await chain.refAt(height);
  if (!ref) throw new NodeError(`${network.code}: no node has block ${height} below its tip`);
  await deps.db.write({
    reads: [read(NetworkCursors, [network.code]), read(NetworkBlocks, [network.code, height])],
    decide: (view) => {
      const row = view.get(NetworkCursors, [network.code]);
      const isRemembered = view.find(NetworkBlocks, [network.code, height]) !== undefined;
      if (!isAhead(network, { cursor: row, tip }) || isRemembered) return;
      const { hash, parentHash } = ref;
      view.insertKeyed(NetworkBlocks, { network: network.code, height, hash, parentHash });
      view.update(NetworkCursors, row, {
        scanHeight: height,
        topHeight: height,
        tipHeight: tip.height,
        tipAtMs: tip.atMs,
        updatedAtMs: deps.clock.nowMs(),
      });
    },
  });
  return true;
}

function isAhead(
  { startHeight }: NetworkRow,
  { cursor: { scanHeight }, tip }: { cursor: NetworkCursorRow; tip: Tip },
): boolean {
  return scanHeight === startHeight - 1 && scanHeight > tip.height;
}
