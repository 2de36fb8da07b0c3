import { createApp } from "./http/app.ts";
import { createGatewayMetrics } from "./actions/metrics.ts";
import type { Config } from "./config.ts";
import type { Metrics } from "./base/metrics.ts";
import { OperatorError } from "./domain/refusal.ts";
import { type Gateway, openGateway } from "./gateway.ts";
import { isEmbedded } from "./store/db.ts";
import { createFollowers, type Followers } from "./workers/follow_chains.ts";
import { keepHouse } from "./workers/housekeeping.ts";
import { WebhookDeliverer } from "./workers/deliver_webhooks.ts";
import { createTicker, type Job, type Ticker } from "./workers/ticker.ts";

export interface Serving {
  readonly url: string;
  readonly gateway: Gateway;
  readonly tickers: Tickers;
  /** Requests under way finish, the writer drains, everything is let go. */
  stop(): Promise<void>;
}

export interface Tickers {
  readonly follow: Ticker;
  readonly webhooks: Ticker;
  readonly housekeeping: Ticker;
}

const FOLLOW_PAUSE_MS = 50;
/** What another program wrote is found within this; what this one wrote, at once. */
const WEBHOOKS_PAUSE_MS = 500;
const HOUSEKEEPING_PAUSE_MS = 30_000;
/** Part of the five seconds in which a stop must be done. */
const DRAIN_MS = 3_000;

export async function serve(config: Config): Promise<Serving> {
  const release = await lock(config);
  const isExclusive = isEmbedded(config.databaseUrl);
  const gateway = await openGateway(config, { isExclusive }).catch((error) => {
    release();
    throw error;
  });
  const { deps } = gateway;
  try {
    // The wrong master key must be found out before anything is answered.
    await deps.keyRing();
    const metrics = createGatewayMetrics();
    const { trustedProxies, authFailuresPerMinute } = config;
    const app = createApp({ deps, metrics, trustedProxies, authFailuresPerMinute });
    const server = listen(config, (request, remoteIp) => app.fetch(request, { remoteIp }));
    const followers = createFollowers(deps, metrics);
    const deliverer = new WebhookDeliverer(deps, metrics);
    const tickers = createTickers(gateway, { metrics, followers, deliverer });
    // A stopped ticker stays stopped, whatever the crons ask.
    for (const ticker of Object.values(tickers)) {
      void (config.isWorkerOn ? ticker.keepAlive() : ticker.stop());
    }
    if (config.isWorkerOn) deliverer.watch();
    const stop = once(async () => {
      const tickersDone = Object.values(tickers).map((ticker) => ticker.stop());
      await atMost(
        DRAIN_MS,
        Promise.all([
          server.shutdown(),
          ...tickersDone,
          followers.idle(),
          deliverer.stop(),
        ]),
      );
      await gateway.close();
      release();
    });
    return { url: urlOf(config, server.addr), gateway, tickers, stop };
  } catch (error) {
    await gateway.close();
    release();
    throw error;
  }
}

function createTickers(
  { deps }: Gateway,
  { metrics, followers, deliverer }: {
    metrics: Metrics;
    followers: Followers;
    deliverer: WebhookDeliverer;
  },
): Tickers {
  const ticker = (name: string, pauseMs: number, run: Job["run"]) =>
    createTicker({ name, run, pauseMs }, { clock: deps.clock, log: deps.log });
  return {
    follow: ticker("follow_chains", FOLLOW_PAUSE_MS, followers.run),
    webhooks: ticker("deliver_webhooks", WEBHOOKS_PAUSE_MS, () => deliverer.look()),
    housekeeping: ticker("housekeeping", HOUSEKEEPING_PAUSE_MS, () => keepHouse(deps, metrics)),
  };
}

/** One server for an embedded database; a remote one may have several. */
async function lock(config: Config): Promise<() => void> {
  if (!isEmbedded(config.databaseUrl)) return () => {};
  const { takeServeLock } = await import("./store/serve_lock.ts");
  const taken = await takeServeLock(config.databaseUrl);
  return () => taken.release();
}

function listen(
  { host, port }: Config,
  handle: (request: Request, remoteIp: string) => Response | Promise<Response>,
): Deno.HttpServer<Deno.NetAddr> {
  try {
    return Deno.serve(
      { hostname: host, port, onListen: () => {} },
      (request, info) => handle(request, info.remoteAddr.hostname),
    );
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) {
      throw new OperatorError(
        `Port ${port} on ${host} is in use: stop what uses it or set CPG_PORT`,
        {
          cause: error,
        },
      );
    }
    if (
      error instanceof Deno.errors.AddrNotAvailable || error instanceof Deno.errors.PermissionDenied
    ) {
      throw new OperatorError(`Cannot listen on ${host}:${port}: ${error.message}`, {
        cause: error,
      });
    }
    if (error instanceof TypeError || String(error).includes("lookup address")) {
      throw new OperatorError(
        `CPG_HOST "${host}" is not an address of this machine; for example: CPG_HOST=127.0.0.1`,
        { cause: error },
      );
    }
    throw error;
  }
}

/** A node that hangs must not hold up the stop: whatever is cut off here is taken up at the next start. */
async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([work, late.promise]);
  clearTimeout(timer);
}

function urlOf({ host }: Config, { port }: Deno.NetAddr): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => done ??= work();
}
