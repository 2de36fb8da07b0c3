import { present } from "../base/assert.ts";
import { OperatorError } from "../domain/refusal.ts";
import type { NetworkRow } from "../store/rows.ts";
import { NetworkCursors } from "../store/chain_tables.ts";
import { read, type View } from "../store/workspace.ts";
import { recordAudit } from "./_records.ts";
import type { Actor, Deps } from "./deps.ts";
import { readBlocks } from "./_read_blocks.ts";
import { cursorOf } from "./follow_network.ts";
import { findNetwork } from "./manage_networks.ts";
import { CursorMoved, planMovements, recordMovements } from "./_record_movements.ts";

export interface RescanOrder {
  readonly network: string;
  readonly fromBlock: number;
  /** Absent: as far as the network was read. */
  readonly toBlock: number | undefined;
  readonly actor: Actor;
  onProgress?(done: { blocks: number; of: number }): void;
}

const BLOCKS_PER_STEP = 50;

/** Reads blocks again and records what is missing. What is known already stays as it is. */
export async function rescan(
  deps: Deps,
  order: RescanOrder,
): Promise<{ network: string; fromBlock: number; toBlock: number; found: number }> {
  const network = await findNetwork(deps, order.network);
  const { scanHeight, topHeight } = await cursorOf(deps, network);
  const toBlock = Math.min(order.toBlock ?? scanHeight, scanHeight);
  const { fromBlock } = order;
  if (fromBlock > toBlock) {
    throw new OperatorError(
      `${network.code} was read up to block ${scanHeight}: nothing to read again from ${fromBlock}`,
    );
  }
  await noteRescan(deps, { network, fromBlock, toBlock, actor: order.actor });
  const chain = deps.chains.of(network);
  let found = 0;
  for (let from = fromBlock; from <= toBlock; from += BLOCKS_PER_STEP) {
    const to = Math.min(toBlock, from + BLOCKS_PER_STEP - 1);
    const { blocks, owned } = await readBlocks(deps, { network, chain, from, to });
    const plan = await planMovements(deps, { network, blocks, owned });
    const nowMs = deps.clock.nowMs();
    found += await deps.db.write({
      reads: [read(NetworkCursors, [network.code]), ...plan.reads],
      decide: (view: View) => {
        // A rewind came in between: these blocks may be of the branch that lost.
        const cursor = present(view.find(NetworkCursors, [network.code]), "A network has a cursor");
        if (to > cursor.scanHeight) throw new CursorMoved();
        return recordMovements(view, { plan, network, topHeight, nowMs });
      },
    });
    order.onProgress?.({ blocks: to - fromBlock + 1, of: toBlock - fromBlock + 1 });
  }
  return { network: network.code, fromBlock, toBlock, found };
}

async function noteRescan(
  { db, clock }: Deps,
  { network, fromBlock, toBlock, actor }: {
    network: NetworkRow;
    fromBlock: number;
    toBlock: number;
    actor: Actor;
  },
): Promise<void> {
  const nowMs = clock.nowMs();
  const subject = `network:${network.code}`;
  const detail = { fromBlock, toBlock };
  await db.write({
    reads: [],
    decide: (view) =>
      recordAudit(view, { actor, action: "network.rescanned", subject, detail, nowMs }),
  });
}
