import { runCli } from "./src/cli/run.ts";
import { flushStderr } from "./src/base/log.ts";
import { readEnv } from "./src/app/config/config.ts";
import { programHost } from "./src/app/host.ts";
import { permissionHint } from "./src/app/permissions.ts";

const hint = permissionHint(Deno.args);
if (hint !== undefined) {
  Deno.stderr.writeSync(new TextEncoder().encode(`error: ${hint}\n`));
  Deno.exit(1);
}
const host = programHost(readEnv());

/** Each cron keeps the job going for over a minute; a retry would only make it skip the next one. */
const EVERY_MINUTE = "* * * * *";
const NO_RETRIES = { backoffSchedule: [] };

Deno.cron("follow chains", EVERY_MINUTE, NO_RETRIES, async () => {
  await host.serving()?.tickers.follow.keepAlive();
});
Deno.cron("deliver webhooks", EVERY_MINUTE, NO_RETRIES, async () => {
  await host.serving()?.tickers.webhooks.keepAlive();
});
Deno.cron("keep the request log", EVERY_MINUTE, NO_RETRIES, async () => {
  await host.serving()?.tickers.requests.keepAlive();
});
Deno.cron("keep house", EVERY_MINUTE, NO_RETRIES, async () => {
  await host.serving()?.tickers.housekeeping.keepAlive();
});
Deno.cron("keep networks", EVERY_MINUTE, NO_RETRIES, async () => {
  await host.serving()?.tickers.networks.keepAlive();
});
Deno.cron("read rates", EVERY_MINUTE, NO_RETRIES, async () => {
  await host.serving()?.tickers.rates.keepAlive();
});
Deno.cron("send notices", EVERY_MINUTE, NO_RETRIES, async () => {
  await host.serving()?.tickers.notices.keepAlive();
});
Deno.cron("judge invoices", EVERY_MINUTE, NO_RETRIES, async () => {
  await host.serving()?.tickers.invoices.keepAlive();
});
Deno.cron("note calls of nodes", EVERY_MINUTE, NO_RETRIES, async () => {
  await host.serving()?.tickers.calls.keepAlive();
});

const code = await runCli(Deno.args, host);
flushStderr();
Deno.exit(code);
