import type { Metrics } from "../../base/metrics.ts";
import { Running } from "../../base/waiting/running.ts";
import type { PushedHead } from "../../chains/head_socket.ts";
import type { Deps } from "../../deps/deps.ts";
import { NodeError } from "../../chains/faults.ts";
import { familyOf } from "../../chains/registry.ts";
import { forgetNetwork } from "../../deps/memory.ts";
import { lookAtPending } from "../look_at_pending.ts";
import { noteEndpoints } from "../note_endpoints.ts";
import { CursorMoved } from "../record_movements.ts";
import { reportSilenceOver } from "../report_silence.ts";
import { genuineSetUp } from "../../integrity/genuine_set_up.ts";
import { followOnce, type Round } from "./_follow_once.ts";
import {
  alertLongFault,
  type Follower,
  isOver,
  logFault,
  logRecovery,
  newFollower,
} from "./_follower_faults.ts";
import { PushedHeads } from "./_pushed_heads.ts";
import type { NetworkRow } from "../../networks/table.ts";
import { doJob, holdEverything, type JobHolder } from "../../upkeep/leases.ts";

interface Followers {
  /** One round: every network whose poll interval has passed, side by side. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when no network is being followed. */
  idle(): Promise<void>;
  /** For good: nothing is pushed any more. */
  close(): Promise<void>;
}

/** How soon new and changed networks are noticed. */
const LOOK_EVERY_MS = 500;
/**
 * What is in no block is shown within two seconds, however seldom the operator wants the blocks read.
 */
const PENDING_EVERY_MS = 1_500;
/** While heads are pushed, every so many expected blocks somebody looks anyway. */
const PUSHED_BLOCKS = 3;
/** However much is pushed, in the time of a block, or of a pause between two polls if that is less. */
const LOOKS_PER_PAUSE_MAX = 4;

/** Each network has its own schedule, so a slow or dead node delays no other network. */
export function createFollowers(
  deps: Deps,
  metrics: Metrics,
  jobs: JobHolder = holdEverything(deps),
): Followers {
  const followers = new Map<string, Follower>();
  const running = new Running();
  let lookedAtMs: number | undefined;
  let stopping: AbortSignal | undefined;
  const pushed = new PushedHeads(deps, (code, head) => {
    const follower = followers.get(code);
    if (!follower || !noteHead(deps, follower, head) || stopping?.aborted) return;
    // The next ordinary run meets and reports the same error.
    if (stopping) run(stopping).catch(() => {});
  });

  async function run(signal: AbortSignal): Promise<void> {
    stopping = signal;
    pushed.look();
    const nowMs = deps.clock.nowMs();
    const isAnyDue = [...followers].some(([code, follower]) =>
      dueAtMs(follower, pushed.isLive(code)) <= nowMs || follower.pendingDueAtMs <= nowMs
    );
    if (!isAnyDue && !isOver(lookedAtMs, { ms: LOOK_EVERY_MS, nowMs })) return;
    lookedAtMs = nowMs;
    const { networks } = await deps.catalog.current();
    forgetRemoved(deps, { followers, running, networks });
    pushed.forget((code) => followers.has(code));
    for (const network of networks) {
      const follower = followers.getOrInsertComputed(network.code, newFollower);
      await pushed.set(network);
      if (signal.aborted) return;
      lookSoon(network, { follower, signal });
      const isPushed = pushed.isLive(network.code);
      const waitMs = dueAtMs(follower, isPushed) - deps.clock.nowMs();
      // A wait longer than possible means that the clock was set back.
      const isWaiting = waitMs > 0 && waitMs <= follower.waitMaxMs;
      if (isWaiting || running.has(network.code)) continue;
      const round = { network, follower, metrics, signal, jobs };
      running.start(network.code, () => runFollower(deps, round, pushed));
    }
  }

  /** At what is in no block, beside the blocks, which may take longer. */
  function lookSoon(
    network: NetworkRow,
    { follower, signal }: { follower: Follower; signal: AbortSignal },
  ): void {
    const name = `${network.code} pending`;
    const waitMs = follower.pendingDueAtMs - deps.clock.nowMs();
    const everyMs = Math.min(network.pollIntervalMs, PENDING_EVERY_MS);
    if ((waitMs > 0 && waitMs <= everyMs) || running.has(name) || signal.aborted) return;
    const isSeenBefore = familyOf(network.family).holdings === "outputs";
    follower.pendingDueAtMs = isSeenBefore ? deps.clock.nowMs() + everyMs : Infinity;
    if (!isSeenBefore) return;
    running.start(name, () => lookNow(deps, { network, jobs, metrics }));
  }

  return { run, idle: () => running.idle(), close: () => pushed.close() };
}

/** Whoever reads the blocks: both change the same rows. A node that fails shows it there. */
async function lookNow(
  deps: Deps,
  { network, jobs, metrics }: { network: NetworkRow; jobs: JobHolder; metrics: Metrics },
): Promise<void> {
  const count = (result: "done" | "failed") =>
    metrics.count("cpg_mempool_looks_total", { network: network.code, result });
  try {
    const job = { job: "follow", network: network.code };
    await doJob(jobs, job, async (own) => {
      if (await genuineSetUp(own, network).catch(() => undefined)) {
        await lookAtPending(own, network);
        count("done");
      }
    });
  } catch (error) {
    count("failed");
    const isPassing = error instanceof NodeError || error instanceof CursorMoved;
    deps.log[isPassing ? "debug" : "error"]("mempools not looked at", {
      network: network.code,
      error,
    });
  }
}

function dueAtMs(
  { dueAtMs, pushedDueAtMs, wakeAtMs = Infinity }: Follower,
  isPushed: boolean,
): number {
  return Math.min(wakeAtMs, isPushed ? Math.max(dueAtMs, pushedDueAtMs) : dueAtMs);
}

/** Returns whether somebody should look at it now. */
function noteHead(deps: Deps, follower: Follower, head: PushedHead): boolean {
  follower.pushed = head;
  // Whoever follows instead is woken by sockets of its own.
  if (!follower.isMine || follower.wakeAtMs !== undefined) return false;
  if (follower.seenHash === head.hash) return false;
  const nowMs = deps.clock.nowMs();
  const pauseMs = Math.ceil(follower.pauseMs / LOOKS_PER_PAUSE_MAX);
  const sinceMs = nowMs - follower.startedAtMs;
  follower.wakeAtMs = sinceMs < 0 || sinceMs >= pauseMs ? nowMs : nowMs + pauseMs - sinceMs;
  return follower.wakeAtMs === nowMs;
}

function forgetRemoved(
  { memory }: Deps,
  { followers, running, networks }: {
    followers: Map<string, Follower>;
    running: Running;
    networks: readonly NetworkRow[];
  },
): void {
  const codes = new Set(networks.map(({ code }) => code));
  for (const code of followers.keys()) {
    if (running.has(code) || codes.has(code)) continue;
    followers.delete(code);
    forgetNetwork(memory, code);
  }
}

async function runFollower(deps: Deps, round: Round, pushed: PushedHeads): Promise<void> {
  const { network, follower, metrics } = round;
  follower.startedAtMs = deps.clock.nowMs();
  follower.waitMaxMs = follower.pauseMs = network.pollIntervalMs;
  follower.dueAtMs = follower.startedAtMs + network.pollIntervalMs;
  follower.pushedDueAtMs = 0;
  follower.wakeAtMs = undefined;
  try {
    const job = { job: "follow", network: network.code };
    const isMine = await doJob(
      round.jobs,
      job,
      (own) =>
        followOnce(own, round).finally(() =>
          noteEndpoints(own, { network, sockets: pushed.health(network.code) })
        ),
    );
    logRecovery(deps, { network, follower });
    awaitNextBlock(deps, { network, follower });
    follower.isMine = isMine;
    if (isMine && !pushed.isLive(network.code)) expectNextBlock(deps, { network, follower });
    if (isMine) awaitPushedHead(deps, { network, follower });
    if (isMine && follower.isReportedSilent) await reportSilenceOver(deps, network);
    follower.isReportedSilent = !isMine;
  } catch (error) {
    metrics.count("cpg_network_faults_total", { network: network.code });
    logFault(deps, { network, follower, error });
    await alertLongFault(deps, { network, follower, error });
  }
}

/** Not sooner than the operator wants, nor before there can be a new block. */
function awaitNextBlock(
  deps: Deps,
  { network, follower }: { network: NetworkRow; follower: Follower },
): void {
  const quietForMs = deps.chains.of(network).quietForMs();
  if (quietForMs !== null) lookLater(follower, deps.clock.nowMs() + quietForMs);
}

/**
 * When a block is expected that nobody pushes, somebody looks, however seldom the operator wants it
 * otherwise; a look shortly before that would be in vain.
 */
function expectNextBlock(
  deps: Deps,
  { network, follower }: { network: NetworkRow; follower: Follower },
): void {
  const chain = deps.chains.of(network);
  const lookInMs = chain.lookInMs?.() ?? null;
  const blockMs = chain.seenHeads?.().blockMs ?? null;
  if (lookInMs === null || blockMs === null) return;
  const lookAtMs = deps.clock.nowMs() + lookInMs;
  const earlierMs = lookAtMs - follower.dueAtMs;
  if (earlierMs < 0) follower.dueAtMs = lookAtMs;
  else if (earlierMs <= blockMs / 4 && network.pollIntervalMs > blockMs / 2) {
    lookLater(follower, lookAtMs);
  }
}

function lookLater(follower: Follower, atMs: number): void {
  if (atMs <= follower.dueAtMs) return;
  follower.waitMaxMs += atMs - follower.dueAtMs;
  follower.dueAtMs = atMs;
}

/** Only once what was pushed has been seen: its node may know it before those that are asked. */
function awaitPushedHead(
  deps: Deps,
  { network, follower }: { network: NetworkRow; follower: Follower },
): void {
  const { tip, blockMs } = deps.chains.of(network).seenHeads?.() ?? { tip: null, blockMs: null };
  if (tip === null || blockMs === null) return;
  follower.seenHash = tip.hash;
  follower.pauseMs = Math.min(follower.pauseMs, blockMs);
  const { pushed } = follower;
  if (pushed && pushed.hash !== tip.hash && pushed.height >= tip.height) return;
  follower.wakeAtMs = undefined;
  const pauseMs = PUSHED_BLOCKS * blockMs;
  follower.pushedDueAtMs = follower.startedAtMs + pauseMs;
  follower.waitMaxMs = Math.max(follower.waitMaxMs, pauseMs);
}
