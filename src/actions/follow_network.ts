import { present } from "../base/assert.ts";
import { type BlockRef, type Chain, NodeError, type ReadBlock, type Tip } from "../chains/chain.ts";
import { commonAncestor } from "../domain/chain_follow.ts";
import { ownedAddresses } from "../store/address_reads.ts";
import { rememberedBlocks } from "../store/follow_reads.ts";
import type { AddressRow, NetworkCursorRow, NetworkRow } from "../store/rows.ts";
import { NetworkCursors } from "../store/tables.ts";
import { read } from "../store/workspace.ts";
import type { Deps } from "./deps.ts";
import { CursorMoved } from "./_record_movements.ts";
import { recordBlocks } from "./record_blocks.ts";
import { haltNetwork, rewindNetwork } from "./rewind_network.ts";

export interface Followed {
  readonly fromHeight: number;
  readonly toHeight: number;
  /** False: more blocks wait, call again at once. */
  readonly isCaughtUp: boolean;
}

const BLOCKS_PER_STEP_MAX = 100;
const TIP_NOTED_EVERY_MS = 5_000;

/** One bounded step along a chain: walk back if the branch lost, then read and record what is next. */
export async function followNetwork(deps: Deps, network: NetworkRow): Promise<Followed> {
  const chain = deps.chains.of(network);
  const cursor = await cursorOf(deps, network);
  const at = cursor.scanHeight;
  if (cursor.haltedReason !== null) return { fromHeight: at, toHeight: at, isCaughtUp: true };
  const tip = await chain.tip();
  const remembered = await rememberedBlocks(deps.db, network.code);
  const lost = await findLostBranch(chain, { remembered, tip });
  if (lost) {
    await walkBack(deps, { network, chain, remembered, cursor });
    return { fromHeight: at, toHeight: at, isCaughtUp: false };
  }
  const to = Math.min(tip.height, at + BLOCKS_PER_STEP_MAX);
  if (to <= at) {
    await noteTip(deps, { network, cursor, tip });
    return { fromHeight: at, toHeight: at, isCaughtUp: true };
  }
  const { blocks, owned } = await readBlocks(deps, { network, chain, from: at + 1, to });
  const last = remembered.at(-1);
  if (last && blocks[0]!.ref.parentHash !== last.hash) {
    await walkBack(deps, { network, chain, remembered, cursor });
    return { fromHeight: at, toHeight: at, isCaughtUp: false };
  }
  try {
    await recordBlocks(deps, { network, blocks, owned, tip });
  } catch (error) {
    if (!(error instanceof CursorMoved)) throw error;
    return { fromHeight: at, toHeight: at, isCaughtUp: false };
  }
  return { fromHeight: at, toHeight: to, isCaughtUp: to === tip.height };
}

/** Tells now and then that the node answers, also while it has nothing new. */
async function noteTip(
  deps: Deps,
  { network, cursor, tip }: { network: NetworkRow; cursor: NetworkCursorRow; tip: Tip },
): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const isFresh = nowMs - cursor.updatedAtMs < TIP_NOTED_EVERY_MS;
  if (isFresh && tip.finalizedHeight === cursor.finalizedHeight) return;
  await deps.db.write({
    reads: [read(NetworkCursors, [network.code])],
    decide: (view) => {
      const row = present(view.find(NetworkCursors, [network.code]), "A network has a cursor");
      const { height: tipHeight, finalizedHeight } = tip;
      view.update(NetworkCursors, row, { tipHeight, finalizedHeight, updatedAtMs: nowMs });
    },
  });
}

export async function cursorOf(deps: Deps, network: NetworkRow): Promise<NetworkCursorRow> {
  return present(await deps.db.find(NetworkCursors, [network.code]), "A network has a cursor");
}

/** The blocks of a range, with every address of ours that they touch: one look-up for all. */
export async function readBlocks(
  deps: Deps,
  { network, chain, from, to }: { network: NetworkRow; chain: Chain; from: number; to: number },
): Promise<{ blocks: ReadBlock[]; owned: Map<string, AddressRow> }> {
  const catalog = await deps.catalog.current();
  const contracts = catalog.currencies
    .filter((row) => row.network === network.code && row.contractAddress !== null)
    .map((row) => row.contractAddress!);
  const owned = new Map<string, AddressRow>();
  const blocks = await chain.readBlocks({ from, to }, {
    contracts,
    owned: async (addresses) => {
      const rows = await ownedAddresses(deps.db, { network: network.code, addresses });
      for (const row of rows) owned.set(row.address, row);
      return new Set(rows.map((row) => row.address));
    },
  });
  return { blocks, owned };
}

/**
 * A tip at or below the cursor tells of a reorganisation at the same height only by its hash. A node
 * that merely lags has the same blocks, only fewer.
 */
async function findLostBranch(
  chain: Chain,
  { remembered, tip }: { remembered: readonly BlockRef[]; tip: Tip },
): Promise<boolean> {
  const last = remembered.at(-1);
  if (!last || tip.height > last.height) return false;
  if (tip.height === last.height) return tip.hash !== last.hash;
  const same = remembered.find((ref) => ref.height === tip.height);
  if (!same) return false;
  return (await chain.refAt(tip.height))?.hash !== same.hash;
}

interface Branch {
  readonly network: NetworkRow;
  readonly chain: Chain;
  readonly remembered: readonly BlockRef[];
  readonly cursor: NetworkCursorRow;
}

async function walkBack(deps: Deps, { network, chain, remembered, cursor }: Branch): Promise<void> {
  const hashes = new Map<number, string>();
  for (const ref of remembered.toReversed()) {
    const found = await chain.refAt(ref.height);
    if (found) hashes.set(ref.height, found.hash);
    if (found?.hash === ref.hash) break;
  }
  if (hashes.size === 0) {
    throw new NodeError(`${network.code}: the node has none of the remembered blocks`);
  }
  const ancestor = commonAncestor(remembered, (height) => hashes.get(height));
  const finalized = cursor.finalizedHeight;
  if (!ancestor || (finalized !== null && ancestor.height < finalized)) {
    const reason = `${network.code} was reorganised below ` +
      (ancestor
        ? `its finalized block ${finalized}`
        : `everything remembered, from block ${remembered[0]!.height}`) +
      ": nothing is credited until an operator has looked";
    return await haltNetwork(deps, { network: network.code, reason });
  }
  await rewindNetwork(deps, {
    network: network.code,
    toHeight: ancestor.height,
    fromHeight: cursor.scanHeight,
  });
}
