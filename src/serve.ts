import { createApp } from "./http/app.ts";
import { createGatewayMetrics } from "./actions/metrics.ts";
import type { Config } from "./config.ts";
import { type Gateway, openGateway } from "./gateway.ts";
import { listen } from "./listen.ts";
import { isForDashboard, serveDashboard } from "./serve_dashboard.ts";
import { isEmbedded } from "./store/db.ts";
import { createFollowers } from "./workers/follow_chains.ts";
import { keepHouse } from "./workers/housekeeping.ts";
import { createTicker, type Ticker } from "./workers/ticker.ts";

export interface Serving {
  readonly url: string;
  /** Null: switched off. */
  readonly dashboardUrl: string | null;
  /** A one-time link that makes the first operator; null once somebody can sign in. */
  setUpUrl(): Promise<string | null>;
  readonly gateway: Gateway;
  readonly tickers: Tickers;
  /** Requests under way finish, the writer drains, everything is let go. */
  stop(): Promise<void>;
}

export interface Tickers {
  readonly follow: Ticker;
  readonly housekeeping: Ticker;
}

const FOLLOW_PAUSE_MS = 50;
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
    const dashboard = serveDashboard(deps, config);
    const server = listen({ ...config, prefix: "CPG" }, (request, remoteIp) => {
      if (dashboard.handle && isForDashboard(request)) return dashboard.handle(request, remoteIp);
      return app.fetch(request, { remoteIp });
    });
    const { url } = server;
    const followers = createFollowers(deps, metrics);
    const job = { clock: deps.clock, log: deps.log };
    const tickers = {
      follow: createTicker(
        { name: "follow_chains", run: followers.run, pauseMs: FOLLOW_PAUSE_MS },
        job,
      ),
      housekeeping: createTicker(
        {
          name: "housekeeping",
          run: () => keepHouse(deps, metrics),
          pauseMs: HOUSEKEEPING_PAUSE_MS,
        },
        job,
      ),
    };
    // A stopped ticker stays stopped, whatever the crons ask.
    for (const ticker of Object.values(tickers)) {
      void (config.isWorkerOn ? ticker.keepAlive() : ticker.stop());
    }
    const stop = once(async () => {
      const dashboardDone = dashboard.stop();
      const tickersDone = Object.values(tickers).map((ticker) => ticker.stop());
      await atMost(
        DRAIN_MS,
        Promise.all([server.shutdown(), dashboardDone, ...tickersDone, followers.idle()]),
      );
      await gateway.close();
      release();
    });
    const setUpUrl = () => dashboard.setUpUrl(url);
    return { url, dashboardUrl: dashboard.urlOf(url), setUpUrl, gateway, tickers, stop };
  } catch (error) {
    await gateway.close();
    release();
    throw error;
  }
}

/** One server for an embedded database; a remote one may have several. */
async function lock(config: Config): Promise<() => void> {
  if (!isEmbedded(config.databaseUrl)) return () => {};
  const { takeServeLock } = await import("./store/serve_lock.ts");
  const taken = await takeServeLock(config.databaseUrl);
  return () => taken.release();
}

/** A node that hangs must not hold up the stop: whatever is cut off here is taken up at the next start. */
async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([work, late.promise]);
  clearTimeout(timer);
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => done ??= work();
}
