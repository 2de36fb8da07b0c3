import { systemClock } from "../../src/base/clock.ts";
import { createLog, flushStderr, writeToStderr } from "../../src/base/log.ts";

/** Logs a line for each line that it reads, and reports when it has. */
const log = createLog({ level: "info", clock: systemClock, write: writeToStderr });

for await (const _ of Deno.stdin.readable) {
  log.info("a line that waits");
  flushStderr();
  log.warn("a line that does not");
  Deno.stdout.writeSync(new TextEncoder().encode("logged\n"));
}
