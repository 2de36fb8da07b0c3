import { checkTokens } from "../actions/check_tokens.ts";
import { confirmDeposits } from "../actions/confirm_deposits.ts";
import { failVanishedDeposits } from "../actions/fail_vanished_deposits.ts";
import { outbidStuck } from "../actions/outbid_stuck.ts";
import { sweepDeposits } from "../actions/sweep_deposits.ts";
import type { Deps } from "../actions/deps.ts";
import { fillNonceGaps } from "../actions/fill_nonce_gaps.ts";
import { cursorOf, followNetwork } from "../actions/follow_network.ts";
import { resumeWithdrawals } from "../actions/resume_withdrawals.ts";
import { settleTransfers } from "../actions/settle_transfers.ts";
import type { Metrics } from "../base/metrics.ts";
import { NodeError } from "../chains/chain.ts";
import type { NetworkRow } from "../store/rows.ts";

export interface Followers {
  /** One round: every network whose poll interval has passed, side by side. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when no network is being followed. */
  idle(): Promise<void>;
}

/** A fault is told once, and again when it changes or after this long. */
const TELL_AGAIN_MS = 60_000;
const STEPS_PER_ROUND_MAX = 50;

interface Follower {
  dueAtMs: number;
  isRunning: boolean;
  areTokensChecked: string;
  fault: { message: string; toldAtMs: number } | undefined;
}

/** Each network on its own clock: a slow or dead node holds up no other network. */
export function createFollowers(deps: Deps, metrics: Metrics): Followers {
  const followers = new Map<string, Follower>();
  const running = new Set<Promise<void>>();
  return {
    run: async (signal) => {
      const { networks } = await deps.catalog.current();
      for (const network of networks) {
        const follower = followers.get(network.code) ??
          { dueAtMs: 0, isRunning: false, areTokensChecked: "", fault: undefined };
        followers.set(network.code, follower);
        if (follower.isRunning || deps.clock.nowMs() < follower.dueAtMs) continue;
        follower.isRunning = true;
        const work = runFollower(deps, { network, follower, metrics, signal })
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

interface Round {
  readonly network: NetworkRow;
  readonly follower: Follower;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
}

async function runFollower(deps: Deps, round: Round): Promise<void> {
  const { network, follower, metrics } = round;
  follower.dueAtMs = deps.clock.nowMs() + network.pollIntervalMs;
  try {
    await followOnce(deps, round);
    follower.fault = undefined;
  } catch (error) {
    metrics.count("cpg_network_faults_total", { network: network.code });
    tellFault(deps, { network, follower, error });
  }
}

async function followOnce(deps: Deps, { network, follower, signal }: Round): Promise<void> {
  if (network.isActive) {
    const config = JSON.stringify([network.rpcUrls, (await deps.catalog.current()).version]);
    if (follower.areTokensChecked !== config && await checkTokens(deps, network)) {
      follower.areTokensChecked = config;
    }
  }
  // A switched-off network takes no new business; what is in flight is finished.
  for (let step = 0; step < STEPS_PER_ROUND_MAX && !signal.aborted; step++) {
    const followed = await followNetwork(deps, network);
    await confirmDeposits(deps, network);
    if (followed.isCaughtUp) break;
  }
  const { haltedReason } = await cursorOf(deps, network);
  if (signal.aborted || haltedReason !== null) return;
  await failVanishedDeposits(deps, network);
  await settleTransfers(deps, network);
  await resumeWithdrawals(deps, network);
  await fillNonceGaps(deps, network);
  await outbidStuck(deps, network);
  await sweepDeposits(deps, network);
}

function tellFault(
  deps: Deps,
  { network, follower, error }: { network: NetworkRow; follower: Follower; error: unknown },
): void {
  const message = error instanceof Error ? error.message : String(error);
  const nowMs = deps.clock.nowMs();
  const isNews = follower.fault?.message !== message ||
    nowMs - follower.fault.toldAtMs >= TELL_AGAIN_MS;
  if (!isNews) return;
  follower.fault = { message, toldAtMs: nowMs };
  const fields = { network: network.code, error: error instanceof NodeError ? message : error };
  deps.log.error("network is not followed", fields);
}
