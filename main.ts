import { readConfig, readEnv } from "./src/config.ts";
import { OperatorError } from "./src/domain/refusal.ts";
import { type Serving, serveUntilStopped } from "./src/serve.ts";

const encoder = new TextEncoder();
let serving: Serving | undefined;

// At most one run of each at a time; without retries, which would make the next minute's run be skipped.
const EVERY_MINUTE = "* * * * *";
const NO_RETRIES = { backoffSchedule: [] };
Deno.cron("follow chains", EVERY_MINUTE, NO_RETRIES, () => serving?.tickers.follow.keepAlive());
Deno.cron("keep house", EVERY_MINUTE, NO_RETRIES, () => serving?.tickers.housekeeping.keepAlive());

try {
  await serveUntilStopped(readConfig(readEnv()), (ready) => {
    serving = ready;
    Deno.stdout.writeSync(encoder.encode(`CPG is listening on ${ready.url}\n`));
  });
  Deno.exit(0);
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  Deno.stderr.writeSync(encoder.encode(`${error.message}\n`));
  Deno.exit(1);
}
