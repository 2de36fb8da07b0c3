import { first } from "../../base/lists.ts";
import type { BlockRef, Chain, Tip } from "../../chains/chain.ts";
import { NodeError } from "../../chains/faults.ts";
import { judgeReorganisation, type Reorganisation } from "../../domain/states/chain_follow.ts";
import { rememberedBlocks } from "../../store/reads/following.ts";
import { NetworkBlocks, NetworkCursors } from "../../store/tables/following.ts";
import type { NetworkCursorRow } from "../../store/tables/following.ts";
import type { NetworkRow } from "../../store/tables/setup.ts";
import { type Standing, standingOf } from "../../store/reads/standing.ts";
import { read } from "../../store/engine/workspace.ts";
import { isFinalityStale } from "../books/depth.ts";
import type { Deps } from "../deps.ts";
import { readAhead, takeAhead } from "./read_ahead.ts";
import type { OwnedBlocks } from "./ahead.ts";
import { type BlockRange, readBlocks, TRACED_BELOW_TIP_MAX } from "./read_blocks.ts";
import { peekAtTip } from "./peek_at_tip.ts";
import { CursorMoved } from "./record_movements.ts";
import { higher, recordBlocks } from "./record_blocks.ts";
import { haltNetwork, rewindNetwork } from "./rewind_network.ts";

interface Followed {
  readonly fromHeight: number;
  readonly toHeight: number;
  /** False: more blocks wait, call again at once. */
  readonly isCaughtUp: boolean;
  /** No new block and no work: nothing to confirm, settle, send or sweep. */
  readonly isQuiet: boolean;
}

const BLOCKS_PER_STEP_MAX = 100;
const FAR_BEHIND_BLOCKS = 3 * BLOCKS_PER_STEP_MAX;

const TIP_NOTED_EVERY_MS = 5_000;
/** While nothing waits for it, the final block is asked for only every so many blocks. */
const IDLE_BLOCKS = 40;
const AWAITED_BLOCKS = 15;

/** One bounded step along a chain: go back if our branch lost, then read and record the next blocks. */
export async function followNetwork(deps: Deps, network: NetworkRow): Promise<Followed> {
  const chain = deps.chains.of(network);
  const standing = await standingOf(deps.db, { network, nowMs: deps.clock.nowMs() });
  const { cursor, last } = standing;
  const at = cursor.scanHeight;
  const again = { fromHeight: at, toHeight: at, isCaughtUp: false, isQuiet: false };
  if (cursor.haltedReason !== null) return { ...again, isCaughtUp: true, isQuiet: true };
  const tip = await chain.tip({
    finalEveryBlocks: finalEveryBlocks(standing, network),
  });
  if (last && await isBranchLost(deps, { network, chain, last, tip })) {
    await walkBack(deps, { network, chain, cursor, tip });
    return again;
  }
  const { stepSizes } = deps.memory;
  const size = stepSizes.get(network.code) ?? BLOCKS_PER_STEP_MAX;
  const to = stepEnd({ at, size, tip });
  if (to <= at) {
    await noteTip(deps, { network, cursor, tip });
    return { ...again, isCaughtUp: true, isQuiet: isQuiet(standing, network) };
  }
  if (tip.height - at > FAR_BEHIND_BLOCKS) await peekAtTip(deps, { network, chain, tip });
  const range = { network, chain, from: at + 1, to, tipHeight: tip.height };
  const { blocks, owned } = await nextBlocks(deps, { range, last, tip }).catch((error) => {
    if (error instanceof NodeError) stepSizes.set(network.code, Math.max(1, (to - at) >> 1));
    throw error;
  });
  const grown = Math.min(BLOCKS_PER_STEP_MAX, 2 * size);
  stepSizes.set(network.code, grown);
  if (last && first(blocks).ref.parentHash !== last.hash) {
    await walkBack(deps, { network, chain, cursor, tip });
    return again;
  }
  const end = blocks.at(-1)!.ref.height;
  const next = { ...range, from: end + 1, to: stepEnd({ at: end, size: grown, tip }) };
  if (next.to > end) await readAhead(deps, next);
  try {
    await recordBlocks(deps, { network, blocks, owned, tip });
  } catch (error) {
    if (!(error instanceof CursorMoved)) throw error;
    return again;
  }
  return { ...again, toHeight: end, isCaughtUp: end === tip.height };
}

/** Every time, if something may be waiting for the next block. */
function finalEveryBlocks(
  { cursor, awaitedHeight, isAnythingDue }: Standing,
  { minConfirmations }: NetworkRow,
): number {
  if (isAnythingDue) return 1;
  if (awaitedHeight === null) return IDLE_BLOCKS;
  return awaitedHeight <= cursor.scanHeight - minConfirmations + 2 ? 1 : AWAITED_BLOCKS;
}

/** Alerts about finality depend on time alone. */
function isQuiet({ cursor, isAnythingDue }: Standing, { finality }: NetworkRow): boolean {
  return !isAnythingDue && !(finality === "finalized" && isFinalityStale(cursor));
}

/** The node answers while the database writes: the next blocks are read while these are recorded. */
async function nextBlocks(
  deps: Deps,
  { range, last, tip }: { range: BlockRange; last: BlockRef | undefined; tip: Tip },
): Promise<OwnedBlocks> {
  return await takeAhead(deps, { ...range, last, tip }) ?? await readBlocks(deps, range);
}

/** No step spans both blocks that are too old for the node's traces and blocks that it can trace. */
function stepEnd({ at, size, tip }: { at: number; size: number; tip: Tip }): number {
  const traced = tip.height - TRACED_BELOW_TIP_MAX;
  return Math.min(at < traced ? traced : tip.height, at + size);
}

/** Notes now and then that the node answers, even if it has nothing new. */
async function noteTip(
  deps: Deps,
  { network, cursor, tip }: { network: NetworkRow; cursor: NetworkCursorRow; tip: Tip },
): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const isFresh = nowMs - cursor.updatedAtMs < TIP_NOTED_EVERY_MS;
  if (isFresh && (tip.finalizedHeight ?? -1) <= (cursor.finalizedHeight ?? -1)) return;
  await deps.db.write({
    reads: [read(NetworkCursors, [network.code])],
    decide: (view) => {
      const row = view.get(NetworkCursors, [network.code]);
      const { height: tipHeight } = tip;
      const finalizedHeight = higher(row.finalizedHeight, tip.finalizedHeight);
      const { finalizedAgeMs } = tip;
      view.update(NetworkCursors, row, {
        tipHeight,
        finalizedHeight,
        finalizedAgeMs,
        updatedAtMs: nowMs,
      });
    },
  });
}

interface TipFacts {
  readonly network: NetworkRow;
  readonly chain: Chain;
  readonly last: BlockRef;
  readonly tip: Tip;
}

/**
 * If the tip isn't above the cursor, only its hash shows a reorganisation. A node that merely lags
 * has the same blocks, just fewer.
 */
async function isBranchLost(deps: Deps, { network, chain, last, tip }: TipFacts): Promise<boolean> {
  if (tip.height > last.height) return false;
  if (tip.height === last.height) return tip.hash !== last.hash;
  const same = await deps.db.find(NetworkBlocks, [network.code, tip.height]);
  if (!same) return false;
  // Another backend of the same URL may lack that block, which contradicts nothing.
  const ref = await chain.refAt(tip.height);
  return ref !== undefined && ref.hash !== same.hash;
}

interface Branch {
  readonly network: NetworkRow;
  readonly chain: Chain;
  readonly cursor: NetworkCursorRow;
  readonly tip: Tip;
}

async function walkBack(deps: Deps, { network, chain, cursor, tip }: Branch): Promise<void> {
  const remembered = await rememberedBlocks(deps.db, network.code);
  const hashes = new Map<number, string>();
  for (const ref of remembered.toReversed()) {
    const theirs = await chain.refAt(ref.height);
    if (theirs) hashes.set(ref.height, theirs.hash);
    if (theirs?.hash === ref.hash) break;
  }
  const found = judgeReorganisation({
    remembered,
    hashAt: (height) => hashes.get(height),
    startHeight: network.startHeight,
    finalHeight: cursor.finalizedHeight,
  });
  if (found.kind === "contradiction") {
    throw new NodeError(
      `${network.code}: the node contradicts itself about block ${cursor.scanHeight}`,
    );
  }
  if (found.kind !== "rewind") {
    const reason =
      `${network.code} was reorganised below ${lostPart(found)}: nothing is credited ` +
      "until an operator has looked";
    return await haltNetwork(deps, { network: network.code, reason });
  }
  await rewindNetwork(deps, {
    network: network.code,
    toHeight: found.toHeight,
    fromHeight: cursor.scanHeight,
    tipHeight: tip.height,
  });
}

function lostPart(found: Exclude<Reorganisation, { kind: "contradiction" | "rewind" }>): string {
  return found.kind === "below_final"
    ? `its finalized block ${found.finalHeight}`
    : `everything remembered, from block ${found.lowest}`;
}
