import { at, first } from "../base/lists.ts";
import { finalizedAge, isFinalityStale } from "../books/depth.ts";
import type { BlockRef, Chain, Tip } from "../chains/chain.ts";
import type { PushedHead } from "../chains/head_socket.ts";
import { NodeError } from "../chains/faults.ts";
import { familyOf } from "../chains/registry.ts";
import type { Deps } from "../deps/deps.ts";
import { isBranchLost, walkBack } from "./_walk_back.ts";
import type { OwnedBlocks } from "./ahead.ts";
import { moveOntoChain } from "./before_start.ts";
import { planMovements } from "./plan_movements.ts";
import { readAhead, takeAhead } from "./read_ahead.ts";
import { type BlockRange, expectBlock, readBlocks, TRACED_BELOW_TIP_MAX } from "./read_blocks.ts";
import { higher, recordBlocks } from "./record_blocks.ts";
import { CursorMoved, recordSightings } from "./record_movements.ts";
import { watchStall } from "./report_silence.ts";
import { type NetworkCursorRow, NetworkCursors } from "./table.ts";
import { pauseFailing } from "../integrity/pause_failing.ts";
import type { NetworkRow } from "../networks/table.ts";
import { read } from "../store/engine/workspace.ts";
import { type Standing, standingOf } from "../store/reads/standing.ts";

const BLOCKS_MAX = 20;

interface Followed {
  readonly fromHeight: number;
  readonly toHeight: number;
  /** False: more blocks wait, call again at once. */
  readonly isCaughtUp: boolean;
  /** No new block and no work: nothing to confirm, settle, send or sweep. */
  readonly isQuiet: boolean;
}

const FAR_BEHIND_BLOCKS = 300;

const TIP_NOTED_EVERY_MS = 5_000;
/** While nothing waits for it, the final block is asked for only every so many blocks. */
const IDLE_BLOCKS = 40;
const AWAITED_BLOCKS = 15;

/** One bounded step along a chain: go back if our branch lost, then read and record the next blocks. */
export async function followNetwork(
  deps: Deps,
  network: NetworkRow,
  pushed?: PushedHead,
): Promise<Followed> {
  const chain = deps.chains.of(network);
  const standing = await standingOf(deps.db, { network, nowMs: deps.clock.nowMs() });
  const { cursor, last } = standing;
  const { scanHeight } = cursor;
  const again = { fromHeight: scanHeight, toHeight: scanHeight, isCaughtUp: false, isQuiet: false };
  if (cursor.haltedReason !== null) return { ...again, isCaughtUp: true, isQuiet: true };
  if (pushed && last && isNext(pushed, last)) await expectBlock(deps, { network, chain, pushed });
  const tip = await chain.tip({ finalEveryBlocks: finalEveryBlocks(standing, network) });
  await watchStall(deps, { network, tip });
  if (!last && await moveOntoChain(deps, { network, chain, cursor, tip })) return again;
  if (last && await isBranchLost(deps, { network, chain, last, tip })) {
    await walkBack(deps, { network, chain, cursor, tip });
    return again;
  }
  const { blocksPerStepMax } = familyOf(network.family);
  const size = deps.memory.stepSizes.get(network.code) ?? blocksPerStepMax;
  const to = stepEnd({ at: scanHeight, size, tip });
  if (to <= scanHeight) {
    await noteTip(deps, { network, cursor, tip });
    return { ...again, isCaughtUp: true, isQuiet: isQuiet(standing, network) };
  }
  if (tip.height - scanHeight > FAR_BEHIND_BLOCKS) await peekAtTip(deps, { network, chain, tip });
  const step = { network, chain, standing, tip, to, size };
  const end = await deps.memory.blockTurns.run(network.code, () => takeStep(deps, step));
  return end === undefined ? again : { ...again, toHeight: end, isCaughtUp: end === tip.height };
}

function isNext({ height, parentHash }: PushedHead, last: BlockRef): boolean {
  return height === last.height + 1 && parentHash === last.hash;
}

interface Step {
  readonly network: NetworkRow;
  readonly chain: Chain;
  readonly standing: Standing;
  readonly tip: Tip;
  readonly to: number;
  readonly size: number;
}

/** Returns the last block recorded; undefined if there was a reorganisation, or another instance. */
async function takeStep(deps: Deps, step: Step): Promise<number | undefined> {
  const { network, chain, standing: { cursor, last }, tip, to, size } = step;
  const { stepSizes } = deps.memory;
  const from = cursor.scanHeight + 1;
  const range = { network, chain, from, to, tipHeight: tip.height };
  const { blocks, owned } = await nextBlocks(deps, { range, last, tip }).catch((error) => {
    if (error instanceof NodeError) stepSizes.set(network.code, Math.max(1, (to - from + 1) >> 1));
    throw error;
  });
  const { blocksPerStepMax, holdings } = familyOf(network.family);
  const grown = Math.min(blocksPerStepMax, 2 * size);
  stepSizes.set(network.code, grown);
  if (last && first(blocks).ref.parentHash !== last.hash) {
    await walkBack(deps, { network, chain, cursor, tip });
    return undefined;
  }
  const end = at(blocks, blocks.length - 1).ref.height;
  const next = { ...range, from: end + 1, to: stepEnd({ at: end, size: grown, tip }) };
  // Whose outputs a block spends is known once those before it are recorded.
  if (next.to > end && holdings === "balances") await readAhead(deps, next);
  try {
    await recordBlocks(deps, { network, blocks, owned, tip });
  } catch (error) {
    if (!(error instanceof CursorMoved)) throw error;
    return undefined;
  }
  await pauseFailing(deps, { network, blocks });
  return end;
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
      view.update(NetworkCursors, row, {
        tipHeight: tip.height,
        tipAtMs: tip.atMs,
        finalizedHeight: higher(row.finalizedHeight, tip.finalizedHeight),
        finalizedAgeMs: finalizedAge(row, { network, tip }),
        updatedAtMs: nowMs,
      });
    },
  });
}

/**
 * While thousands of blocks wait to be read, new payments should show up at once, so the newest
 * blocks are looked at in between, each once. Only the gapless reading counts.
 */
async function peekAtTip(
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
