import { last } from "../base/lists.ts";
import { cursorOf, findNetwork } from "../books/find.ts";
import { recordAudit } from "../books/records.ts";
import { familyOf } from "../chains/registry.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { moveOntoChain } from "./before_start.ts";
import { type BlocksRead, planMovements } from "./plan_movements.ts";
import { type BlockRange, readBlocks } from "./read_blocks.ts";
import { CursorMoved, recordMovements } from "./record_movements.ts";
import { NetworkBlocks, NetworkCursors } from "./table.ts";
import type { NetworkRow } from "../networks/table.ts";
import { blockOutputReads, recordOutputs } from "../outputs/record.ts";
import { read, readAll } from "../store/engine/workspace.ts";

interface RescanOrder {
  readonly network: string;
  readonly fromBlock: number;
  /** Absent: as far as the network was read. */
  readonly toBlock: number | undefined;
  readonly actor: Actor;
  onProgress?(done: { blocks: number; of: number }): void;
}

interface Rescanned {
  readonly network: string;
  readonly fromBlock: number;
  readonly toBlock: number;
  readonly found: number;
  /** The chain ended before the requested block. */
  readonly isAtTip: boolean;
}

const BLOCKS_PER_STEP = 50;

/** Reads blocks again and records what is missing. What is known stays as it is. */
export async function rescan(deps: Deps, order: RescanOrder): Promise<Rescanned> {
  const network = await findNetwork(deps, order.network);
  const chain = deps.chains.of(network);
  if (order.toBlock !== undefined && order.toBlock < order.fromBlock) {
    throw refuse("rescan_backwards", { fromBlock: order.fromBlock, toBlock: order.toBlock });
  }
  if (order.toBlock !== undefined && familyOf(network.family).holdings === "outputs") {
    throw refuse("rescan_to_end", { network: network.code });
  }
  const tip = await chain.tip();
  const before = await cursorOf(deps, network);
  await moveOntoChain(deps, { network, chain, cursor: before, tip });
  const { scanHeight } = await cursorOf(deps, network);
  const readable = readableTo(network, scanHeight);
  const wanted = Math.min(order.toBlock ?? readable, readable);
  const { height: tipHeight } = tip;
  const toBlock = Math.min(wanted, tipHeight);
  const { fromBlock } = order;
  if (fromBlock > toBlock) {
    const asked = { network: network.code, fromBlock };
    throw toBlock < wanted
      ? refuse("rescan_beyond_chain", { ...asked, height: tipHeight })
      : refuse("rescan_beyond_read", { ...asked, height: scanHeight });
  }
  await noteRescan(deps, { network, fromBlock, toBlock, actor: order.actor });
  let found = 0;
  const step = Math.min(BLOCKS_PER_STEP, familyOf(network.family).blocksPerStepMax);
  for (let from = fromBlock; from <= toBlock; from += step) {
    const to = Math.min(toBlock, from + step - 1);
    found += await readAgain(deps, { network, chain, from, to });
    order.onProgress?.({ blocks: to - fromBlock + 1, of: toBlock - fromBlock + 1 });
  }
  return { network: network.code, fromBlock, toBlock, found, isAtTip: toBlock < wanted };
}

/** Blocks before the start block are read by nobody else, so they may be read as they come. */
function readableTo({ startHeight }: NetworkRow, scanHeight: number): number {
  return Math.max(scanHeight, startHeight - 1);
}

async function readAgain(deps: Deps, range: BlockRange): Promise<number> {
  return await recordAgain(deps, { network: range.network, ...await readBlocks(deps, range) });
}

/** What these blocks, which were read before, show now. Returns the number of new deposits. */
export async function recordAgain(deps: Deps, again: BlocksRead): Promise<number> {
  const { network, blocks } = again;
  const { ref: { height: to } } = last(blocks);
  const plan = await planMovements(deps, again);
  const paying = blocks.filter(({ outputs = [] }) => outputs.length > 0);
  const nowMs = deps.clock.nowMs();
  return await deps.db.write({
    reads: [
      read(NetworkCursors, [network.code]),
      ...plan.reads,
      ...readAll(NetworkBlocks, paying.map(({ ref }) => [network.code, ref.height])),
      ...blockOutputReads(network.code, paying),
    ],
    decide: (view) => {
      // A rewind happened in between: these blocks may be from the lost branch.
      const { scanHeight, topHeight } = view.get(NetworkCursors, [network.code]);
      if (to > readableTo(network, scanHeight)) throw new CursorMoved();
      for (const { ref: { height, hash } } of paying) {
        const remembered = view.find(NetworkBlocks, [network.code, height]);
        if (remembered && remembered.hash !== hash) throw new CursorMoved();
      }
      recordOutputs(view, { network: network.code, blocks: paying });
      return recordMovements(view, { plan, network, topHeight, nowMs });
    },
  });
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
