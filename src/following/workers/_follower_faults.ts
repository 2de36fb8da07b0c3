import type { PushedHead } from "../../chains/head_socket.ts";
import { NodeError } from "../../chains/faults.ts";
import type { Deps } from "../../deps/deps.ts";
import { reportSilence } from "../report_silence.ts";
import type { NetworkRow } from "../../networks/table.ts";

/** Until then a failure may be a passing network problem; after that it is logged as an error. */
const LONG_MS = 60_000;

/** The shortest time between two logs, however often the error changes. */
const LOG_AGAIN_MS = 60_000;

export interface Follower {
  dueAtMs: number;
  waitMaxMs: number;
  /** When to look again at what is in no block. */
  pendingDueAtMs: number;
  startedAtMs: number;
  /** While heads are pushed, it is due later. */
  pushedDueAtMs: number;
  /** A pushed head waits to be looked at; until then others of a flood count as the same. */
  wakeAtMs: number | undefined;
  pushed: PushedHead | undefined;
  seenHash: string | undefined;
  /** The poll interval of its last round, or what it takes to make a block if that is less. */
  pauseMs: number;
  /** Of these settings, as JSON. */
  tokensCheckedFor: string;
  /** Since the last successful round. */
  fault: Fault | undefined;
  loggedAtMs: number | undefined;
  /** True also while unknown: an earlier run of the program may have reported it. */
  isReportedSilent: boolean;
  /** Not that of another instance, as of its last round. */
  isMine: boolean;
}

interface Fault {
  readonly sinceMs: number;
  loggedAs: "warn" | "error" | undefined;
  isAlerted: boolean;
}

export function newFollower(): Follower {
  return {
    dueAtMs: 0,
    waitMaxMs: 0,
    pendingDueAtMs: 0,
    startedAtMs: 0,
    pushedDueAtMs: 0,
    wakeAtMs: undefined,
    pushed: undefined,
    seenHash: undefined,
    pauseMs: 0,
    tokensCheckedFor: "",
    fault: undefined,
    loggedAtMs: undefined,
    isReportedSilent: true,
    isMine: true,
  };
}

export function logFault(
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

export function logRecovery(
  deps: Deps,
  { network, follower }: { network: NetworkRow; follower: Follower },
): void {
  if (follower.fault?.loggedAs) {
    const notForMs = deps.clock.nowMs() - follower.fault.sinceMs;
    deps.log.info("network is followed again", { network: network.code, not_for_ms: notForMs });
  }
  follower.fault = undefined;
}

/** The alert is written once the database works; until then there is the log. */
export async function alertLongFault(
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

/** Also true after the clock was set back. */
export function isOver(
  sinceMs: number | undefined,
  { ms, nowMs }: { ms: number; nowMs: number },
): boolean {
  return sinceMs === undefined || nowMs < sinceMs || nowMs - sinceMs >= ms;
}
