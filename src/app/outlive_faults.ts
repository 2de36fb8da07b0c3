import type { Log } from "../base/log.ts";

const LOG_EVERY_MS = 1_000;

/**
 * A fault of ours that nobody waits for would end the program, and whoever can bring it about could
 * stop all payments. What changes money happens in units of the database, whole or not at all.
 */
export function outliveFaults(log: Log): void {
  let loggedAtMs = -Infinity;
  let times = 0;
  const report = (event: Event, error: unknown) => {
    event.preventDefault();
    times++;
    // The same people could fill the disk.
    if (performance.now() - loggedAtMs < LOG_EVERY_MS) return;
    log.error("a fault that nothing waited for", { times, error });
    loggedAtMs = performance.now();
    times = 0;
  };
  addEventListener("unhandledrejection", (event) => report(event, event.reason));
  addEventListener("error", (event) => report(event, event.error));
}
