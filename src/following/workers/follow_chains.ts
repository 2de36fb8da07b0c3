import type { Deps } from "../../deps/deps.ts";
import { forgetNetwork } from "../../deps/memory.ts";
import { noteEndpoints } from "../note_endpoints.ts";
import { doJob, holdEverything, type JobHolder } from "../../upkeep/leases.ts";
import { reportSilenceOver } from "../report_silence.ts";
import { Running } from "../../base/waiting/running.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { NetworkRow } from "../../store/tables/setup.ts";
import {
  alertLongFault,
  type Follower,
  isOver,
  logFault,
  logRecovery,
  newFollower,
} from "./_follower_faults.ts";
import { followOnce, type Round } from "./_follow_once.ts";

interface Followers {
  /** One round: every network whose poll interval has passed, side by side. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when no network is being followed. */
  idle(): Promise<void>;
}

/** How soon new and changed networks are noticed. */
const LOOK_EVERY_MS = 500;

/** Each network has its own schedule, so a slow or dead node delays no other network. */
export function createFollowers(
  deps: Deps,
  metrics: Metrics,
  jobs: JobHolder = holdEverything(deps),
): Followers {
  const followers = new Map<string, Follower>();
  const running = new Running();
  let lookedAtMs: number | undefined;
  return {
    run: async (signal) => {
      const nowMs = deps.clock.nowMs();
      const isAnyDue = [...followers.values()].some(({ dueAtMs }) => dueAtMs <= nowMs);
      if (!isAnyDue && !isOver(lookedAtMs, { ms: LOOK_EVERY_MS, nowMs })) return;
      lookedAtMs = nowMs;
      const { networks } = await deps.catalog.current();
      forgetRemoved(deps, { followers, running, networks });
      for (const network of networks) {
        const follower = followers.getOrInsertComputed(network.code, newFollower);
        const waitMs = follower.dueAtMs - deps.clock.nowMs();
        // A wait longer than possible means that the clock was set back.
        const isWaiting = waitMs > 0 && waitMs <= follower.waitMaxMs;
        if (isWaiting || running.has(network.code)) continue;
        const round = { network, follower, metrics, signal, jobs };
        running.start(network.code, () => runFollower(deps, round));
      }
    },
    idle: () => running.idle(),
  };
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
