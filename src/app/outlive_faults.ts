import type { Log } from "../base/log.ts";

/**
 * A fault of ours that nobody waits for would end the program, and whoever can bring it about could
 * stop all payments. What changes money happens in units of the database, whole or not at all.
 */
export function outliveFaults(log: Log): void {
  const report = (event: Event, error: unknown) => {
    event.preventDefault();
    log.error("a fault that nothing waited for", { error });
  };
  addEventListener("unhandledrejection", (event) => report(event, event.reason));
  addEventListener("error", (event) => report(event, event.error));
}
