import { type Clock, sleep } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { createFailures } from "./failures.ts";

interface Job {
  readonly name: string;
  /** Errors are caught and logged, and the job goes on. */
  run(signal: AbortSignal): Promise<void>;
  /** Between two runs. */
  readonly pauseMs: number;
}

export interface Ticker {
  /** Keeps the job going a while longer; resolves when that ends. Each cron calls it. */
  keepAlive(): Promise<void>;
  /** Lets the current run finish and starts no more. */
  stop(): Promise<void>;
}

/** Longer than a minute, so that a cron every minute leaves no gap. */
const KEPT_ALIVE_MS = 75_000;
const FIRING_MS = 55_000;

/**
 * Repeats a job for as long as crons fire: on a server always, on a platform that wakes programs by
 * cron for as long as the program is awake.
 */
export function createTicker(job: Job, { clock, log }: { clock: Clock; log: Log }): Ticker {
  const stopping = new AbortController();
  const failing = createFailures({ job: job.name }, { clock, log });
  let aliveUntilMs = 0;
  let loop: Promise<void> | undefined;

  async function runOn(): Promise<void> {
    while (!stopping.signal.aborted && clock.nowMs() < aliveUntilMs) {
      try {
        await job.run(stopping.signal);
        failing.end();
      } catch (error) {
        failing.report(error);
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
