import { at } from "../base/lists.ts";
import type { BlockRef, Tip } from "../chains/chain.ts";
import { familyOf } from "../chains/registry.ts";
import { medianOf, paidAfter } from "../domain/money/fee_limit.ts";
import { NetworkBlocks, NetworkCursors } from "./table.ts";
import type { NetworkBlockRow, NetworkCursorRow } from "./table.ts";
import { anchoredAbove, blocksBelow } from "./reads.ts";
import { read, type View } from "../store/engine/workspace.ts";
import { BLOCKS_REMEMBERED, finalizedAge } from "../books/depth.ts";
import { coinsPaid, inputReads, insertInputs } from "./deposit_inputs.ts";
import { type BlocksRead, planMovements } from "./plan_movements.ts";
import { blockOutputReads, recordOutputs } from "../outputs/record.ts";
import { CursorMoved, recordMovements } from "./record_movements.ts";
import { planUnanchoring, unanchor } from "./_unanchor.ts";
import type { Deps } from "../deps/deps.ts";

/** The first block continues the cursor. */
interface BlocksToRecord extends BlocksRead {
  readonly tip: Omit<Tip, "hash">;
}

/** Movements and cursor in one transaction, so nothing is skipped and nothing counted twice. */
export async function recordBlocks(deps: Deps, order: BlocksToRecord): Promise<void> {
  const { network, blocks } = order;
  const coins = coinsPaid(order);
  const parentHeight = at(blocks, 0).ref.height - 1;
  const plan = await planMovements(deps, order);
  const forgotten = await blocksBelow(deps.db, {
    network: network.code,
    height: lastOf(blocks).height - BLOCKS_REMEMBERED,
    limit: 2 * BLOCKS_REMEMBERED,
  });
  // Anything recorded above the cursor is from a lost branch, and in no block now.
  const above = await planUnanchoring(
    deps,
    await anchoredAbove(deps.db, { network: network.code, height: parentHeight }),
  );
  await deps.db.write({
    reads: [
      ...above.reads,
      read(NetworkCursors, [network.code]),
      read(NetworkBlocks, [network.code, parentHeight]),
      ...forgotten.map((block) => read(NetworkBlocks, [network.code, block.height])),
      ...plan.reads,
      ...blockOutputReads(network.code, blocks),
      ...coins.flatMap((transfer) => inputReads(network, transfer)),
    ],
    decide: (view) => {
      const nowMs = deps.clock.nowMs();
      const { topHeight } = moveCursor(view, { order, nowMs });
      rememberBlocks(view, { order, forgotten });
      unanchor(view, above, nowMs);
      recordOutputs(view, { network: network.code, blocks });
      for (const transfer of coins) insertInputs(view, { network, transfer });
      // What a rescan found before the start block is known, and keeps its row.
      const newFrom = network.startHeight;
      recordMovements(view, { plan, network, topHeight, newFrom, nowMs });
    },
  });
}

function lastOf(blocks: BlocksRead["blocks"]): BlockRef {
  return at(blocks, blocks.length - 1).ref;
}

function moveCursor(
  view: View,
  { order, nowMs }: { order: BlocksToRecord; nowMs: number },
): NetworkCursorRow {
  const { network, blocks, tip } = order;
  const first = at(blocks, 0).ref;
  const cursor = view.get(NetworkCursors, [network.code]);
  const parent = view.find(NetworkBlocks, [network.code, first.height - 1]);
  const isLinked = !parent || parent.hash === first.parentHash;
  if (cursor.scanHeight !== first.height - 1 || !isLinked) throw new CursorMoved();
  const { height } = lastOf(blocks);
  return view.update(NetworkCursors, cursor, {
    scanHeight: height,
    topHeight: Math.max(cursor.topHeight, height),
    tipHeight: tip.height,
    tipAtMs: tip.atMs,
    finalizedAgeMs: finalizedAge(cursor, { network, tip }),
    finalizedHeight: higher(cursor.finalizedHeight, tip.finalizedHeight),
    ...paidFields(cursor, { ...order, nowMs }),
    updatedAtMs: nowMs,
  });
}

function rememberBlocks(
  view: View,
  { order: { network, blocks }, forgotten }: {
    order: BlocksToRecord;
    forgotten: readonly NetworkBlockRow[];
  },
): void {
  for (const { ref: { height, hash, parentHash } } of blocks) {
    view.insertKeyed(NetworkBlocks, { network: network.code, height, hash, parentHash });
  }
  for (const block of forgotten) {
    const row = view.find(NetworkBlocks, [network.code, block.height]);
    if (row) view.remove(NetworkBlocks, row);
  }
}

/** Prices from days ago say nothing about now. */
const RECENT_BLOCKS = 100;

function paidFields(
  { paidRaw, paidAtMs }: NetworkCursorRow,
  { network, blocks, tip, nowMs }: BlocksToRecord & { nowMs: number },
): Partial<NetworkCursorRow> {
  const recent = blocks.filter(({ ref }) => ref.height > tip.height - RECENT_BLOCKS);
  const medianRaw = medianOf(recent.flatMap((block) => block.paidRaw ?? []));
  if (medianRaw === undefined) return {};
  // Empty blocks without a base fee show no price.
  const isKnown = paidRaw !== null && paidRaw !== "0";
  const known = isKnown ? { raw: BigInt(paidRaw), atMs: paidAtMs ?? 0 } : undefined;
  const { undoubtedPriceRaw: undoubtedRaw } = familyOf(network.family);
  const { raw, atMs } = paidAfter(known, { raw: medianRaw, atMs: nowMs, undoubtedRaw });
  return { paidRaw: raw.toString(), paidAtMs: atMs };
}

/** What was once final stays final, whatever a lagging node says. */
export function higher(known: number | null, reported: number | null): number | null {
  return known === null || reported === null ? known ?? reported : Math.max(known, reported);
}
