import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";

const SAME_FAILURE_MS = 60_000;

export interface Failures {
  report(error: unknown): void;
  /** It works, or it works again. */
  end(): void;
}

/** The same failure at every run, such as a database that is away, is logged once a minute. */
export function createFailures(
  what: { readonly job: string; readonly network?: string },
  { clock, log }: { clock: Clock; log: Log },
): Failures {
  let last: { text: string; loggedAtMs: number; failures: number } | undefined;
  return {
    report: (error) => {
      const text = String(error);
      const nowMs = clock.nowMs();
      const failures = (last?.failures ?? 0) + 1;
      const isLogged = last?.text === text && nowMs < last.loggedAtMs + SAME_FAILURE_MS;
      if (!isLogged) log.error("job failed", { ...what, failures, error });
      last = { text, loggedAtMs: isLogged && last ? last.loggedAtMs : nowMs, failures };
    },
    end: () => {
      if (last && last.failures > 1) {
        log.info("job works again", { ...what, failures: last.failures });
      }
      last = undefined;
    },
  };
}
