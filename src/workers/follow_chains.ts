import { checkTokens } from "../actions/following/check_tokens.ts";
import { confirmDeposits } from "../actions/deposits/confirm.ts";
import { expireTransfers } from "../actions/settlement/expire_transfers.ts";
import { failVanishedDeposits } from "../actions/deposits/fail_vanished.ts";
import { outbidStuck } from "../actions/transfers/outbid_stuck.ts";
import { sweepDeposits } from "../actions/sweeps/sweep.ts";
import type { Deps } from "../actions/deps.ts";
import { fillNonceGaps } from "../actions/transfers/fill_nonce_gaps.ts";
import { followNetwork } from "../actions/following/follow_network.ts";
import { cursorOf } from "../actions/books/find.ts";
import { genuineSetUp } from "../actions/integrity/genuine_set_up.ts";
import { waitForReadAhead } from "../actions/following/read_ahead.ts";
import { noteEndpoints } from "../actions/following/note_endpoints.ts";
import { resumeWithdrawals } from "../actions/withdrawals/resume.ts";
import { doJob, holdEverything, type JobHolder } from "../actions/operations/leases.ts";
import { settleTransfers } from "../actions/settlement/settle_transfers.ts";
import { TamperedRow } from "../actions/books/tampered.ts";
import { reportSilence, reportSilenceOver } from "../actions/following/report_silence.ts";
import { watchFees } from "../actions/transfers/watch_fees.ts";
import type { Metrics } from "../base/metrics.ts";
import { NodeError } from "../chains/faults.ts";
import type { NetworkRow } from "../store/tables/setup.ts";

interface Followers {
  /** One round: every network whose poll interval has passed, side by side. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when no network is being followed. */
  idle(): Promise<void>;
}

/** Until then a failure may be a passing network problem; after that it is logged as an error. */
const LONG_MS = 60_000;
/** The shortest time between two logs, however often the error changes. */
const LOG_AGAIN_MS = 60_000;
const STEPS_PER_ROUND_MAX = 50;
/** How soon new and changed networks are noticed. */
const LOOK_EVERY_MS = 500;

interface Follower {
  dueAtMs: number;
  waitMaxMs: number;
  isRunning: boolean;
  areTokensChecked: string;
  /** Since the last successful round. */
  fault: Fault | undefined;
  loggedAtMs: number | undefined;
  /** True also while unknown: an earlier run of the program may have reported it. */
  isReportedSilent: boolean;
}

interface Fault {
  readonly sinceMs: number;
  loggedAs: "warn" | "error" | undefined;
  isAlerted: boolean;
}

/** Each network has its own schedule, so a slow or dead node delays no other network. */
export function createFollowers(
  deps: Deps,
  metrics: Metrics,
  jobs: JobHolder = holdEverything(deps),
): Followers {
  const followers = new Map<string, Follower>();
  const running = new Set<Promise<void>>();
  let lookedAtMs: number | undefined;
  return {
    run: async (signal) => {
      const nowMs = deps.clock.nowMs();
      const isAnyDue = [...followers.values()].some(({ dueAtMs }) => dueAtMs <= nowMs);
      if (!isAnyDue && !isOver(lookedAtMs, { ms: LOOK_EVERY_MS, nowMs })) return;
      lookedAtMs = nowMs;
      const { networks } = await deps.catalog.current();
      for (const network of networks) {
        const follower = followers.get(network.code) ??
          newFollower();
        followers.set(network.code, follower);
        const waitMs = follower.dueAtMs - deps.clock.nowMs();
        // A wait longer than possible means that the clock was set back.
        if (follower.isRunning || (waitMs > 0 && waitMs <= follower.waitMaxMs)) continue;
        follower.isRunning = true;
        const work = runFollower(deps, { network, follower, metrics, signal, jobs })
          .finally(() => {
            follower.isRunning = false;
            running.delete(work);
          });
        running.add(work);
      }
    },
    idle: async () => {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

function newFollower(): Follower {
  return {
    dueAtMs: 0,
    waitMaxMs: 0,
    isRunning: false,
    areTokensChecked: "",
    fault: undefined,
    loggedAtMs: undefined,
    isReportedSilent: true,
  };
}

interface Round {
  readonly network: NetworkRow;
  readonly follower: Follower;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
  readonly jobs: JobHolder;
}

async function runFollower(deps: Deps, round: Round): Promise<void> {
  const { network, follower, metrics } = round;
  follower.waitMaxMs = network.pollIntervalMs;
  follower.dueAtMs = deps.clock.nowMs() + network.pollIntervalMs;
  try {
    const job = { job: "follow", network: network.code };
    const isMine = await doJob(
      round.jobs,
      job,
      (own) => followOnce(own, round).finally(() => noteEndpoints(own, network)),
    );
    logRecovery(deps, { network, follower });
    awaitNextBlock(deps, { network, follower });
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
  if (quietForMs === null) return;
  const dueAtMs = deps.clock.nowMs() + quietForMs;
  if (dueAtMs <= follower.dueAtMs) return;
  follower.waitMaxMs += dueAtMs - follower.dueAtMs;
  follower.dueAtMs = dueAtMs;
}

/** The alert is written once the database works; until then there is the log. */
async function alertLongFault(
  deps: Deps,
  { network, follower, error }: { network: NetworkRow; follower: Follower; error: unknown },
): Promise<void> {
  const { fault } = follower;
  if (fault?.loggedAs !== "error" || fault.isAlerted) return;
  try {
    const reason = error instanceof Error ? error.message : String(error);
    await reportSilence(deps, { network, reason });
    fault.isAlerted = true;
    follower.isReportedSilent = true;
  } catch (cause) {
    deps.log.warn("no alert could be written", { network: network.code, error: cause });
  }
}

async function followOnce(deps: Deps, { network, follower, signal }: Round): Promise<void> {
  const catalog = await genuineSetUp(deps, network).catch(nothingIfTampered);
  // The failure has been reported.
  if (!catalog) return;
  if (network.isActive) {
    const config = JSON.stringify([network.rpcUrls, catalog.version]);
    if (follower.areTokensChecked !== config && await checkTokens(deps, network)) {
      follower.areTokensChecked = config;
    }
  }
  // A switched-off network accepts nothing new, but finishes what is in flight.
  try {
    for (let step = 0; step < STEPS_PER_ROUND_MAX && !signal.aborted; step++) {
      const followed = await followNetwork(deps, network);
      if (followed.isQuiet && step === 0) return;
      await confirmDeposits(deps, network);
      if (followed.isCaughtUp) break;
    }
  } finally {
    await waitForReadAhead(deps, network);
  }
  const { haltedReason } = await cursorOf(deps, network);
  if (signal.aborted || haltedReason !== null) return;
  const errors: unknown[] = [];
  for (const step of STEPS) await step(deps, network).catch((error) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}

function nothingIfTampered(error: unknown): undefined {
  if (!(error instanceof TamperedRow)) throw error;
}

/** What follows from new blocks. A step that fails doesn't stop the others. */
const STEPS = [
  failVanishedDeposits,
  settleTransfers,
  expireTransfers,
  resumeWithdrawals,
  fillNonceGaps,
  outbidStuck,
  sweepDeposits,
  watchFees,
] as const;

function logFault(
  deps: Deps,
  { network, follower, error }: { network: NetworkRow; follower: Follower; error: unknown },
): void {
  const nowMs = deps.clock.nowMs();
  const fault = follower.fault ??= { sinceMs: nowMs, loggedAs: undefined, isAlerted: false };
  const level = isOver(fault.sinceMs, { ms: LONG_MS, nowMs }) ? "error" : "warn";
  const isWorse = level === "error" && fault.loggedAs !== "error";
  if (!isWorse && !isOver(follower.loggedAtMs, { ms: LOG_AGAIN_MS, nowMs })) return;
  fault.loggedAs = level;
  follower.loggedAtMs = nowMs;
  const reason = error instanceof NodeError ? error.message : error;
  deps.log[level]("network is not followed", { network: network.code, error: reason });
}

function logRecovery(
  deps: Deps,
  { network, follower }: { network: NetworkRow; follower: Follower },
): void {
  if (follower.fault?.loggedAs) {
    const notForMs = deps.clock.nowMs() - follower.fault.sinceMs;
    deps.log.info("network is followed again", { network: network.code, not_for_ms: notForMs });
  }
  follower.fault = undefined;
}

/** Also true after the clock was set back. */
function isOver(
  sinceMs: number | undefined,
  { ms, nowMs }: { ms: number; nowMs: number },
): boolean {
  return sinceMs === undefined || nowMs < sinceMs || nowMs - sinceMs >= ms;
}
