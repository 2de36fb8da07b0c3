import { type Clock, sleep } from "../base/clock.ts";
import type { Log } from "../base/log.ts";

interface Job {
  readonly name: string;
  /** Never throws away an error: it comes here and is logged, and the job goes on. */
  run(signal: AbortSignal): Promise<void>;
  /** Between two runs. */
  readonly pauseMs: number;
}

export interface Ticker {
  /** Keeps the job going for another while; resolves at its end. Called by each cron firing. */
  keepAlive(): Promise<void>;
  /** Lets a run that is under way finish, and starts no more. */
  stop(): Promise<void>;
}

/** Longer than a minute, so that a firing every minute leaves no gap between two of them. */
const KEPT_ALIVE_MS = 75_000;
const FIRING_MS = 55_000;
const SAME_FAILURE_MS = 60_000;

/**
 * A job that runs again and again while crons keep firing: on a server for ever, on a platform that
 * wakes the program by cron for as long as it is awake.
 */
export function createTicker(job: Job, { clock, log }: { clock: Clock; log: Log }): Ticker {
  const stopping = new AbortController();
  const failing = createFailures(job, { clock, log });
  let aliveUntilMs = 0;
  let loop: Promise<void> | undefined;

  async function runOn(): Promise<void> {
    while (!stopping.signal.aborted && clock.nowMs() < aliveUntilMs) {
      try {
        await job.run(stopping.signal);
        failing.end();
      } catch (error) {
        failing.tell(error);
      }
      await sleep(job.pauseMs, stopping.signal);
    }
  }

  return {
    keepAlive: async () => {
      if (stopping.signal.aborted) return;
      aliveUntilMs = clock.nowMs() + KEPT_ALIVE_MS;
      loop ??= runOn().finally(() => loop = undefined);
      await sleep(FIRING_MS, stopping.signal);
    },
    stop: async () => {
      stopping.abort();
      await loop;
    },
  };
}

/** What fails the same way at each run, while a database is away say, is told once a minute. */
function createFailures({ name: job }: Job, { clock, log }: { clock: Clock; log: Log }) {
  let last: { text: string; toldAtMs: number; failures: number } | undefined;
  return {
    tell: (error: unknown) => {
      const text = String(error);
      const nowMs = clock.nowMs();
      const failures = (last?.failures ?? 0) + 1;
      const isTold = last?.text === text && nowMs < last.toldAtMs + SAME_FAILURE_MS;
      if (!isTold) log.error("job failed", { job, failures, error });
      last = { text, toldAtMs: isTold ? last!.toldAtMs : nowMs, failures };
    },
    end: () => {
      if (last && last.failures > 1) log.info("job works again", { job, failures: last.failures });
      last = undefined;
    },
  };
}
