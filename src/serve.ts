import type { Deps } from "./actions/deps.ts";
import type { Metrics } from "./base/metrics.ts";
import { createApp } from "./http/app.ts";
import { createJobHolder, holdEverything } from "./actions/leases.ts";
import { Membership } from "./actions/membership.ts";
import { createGatewayMetrics } from "./actions/metrics.ts";
import type { Config } from "./config.ts";
import { OperatorError } from "./domain/refusal.ts";
import { type Gateway, openGateway } from "./gateway.ts";
import { isEmbedded } from "./store/connect.ts";
import { createFollowers } from "./workers/follow_chains.ts";
import { keepHouse } from "./workers/housekeeping.ts";
import { createTicker, type Ticker } from "./workers/ticker.ts";

export interface Serving {
  readonly url: string;
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
const LEAVE_MS = 1_000;

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
    const work = await startWork(config, { deps, metrics, isExclusive }).catch(async (error) => {
      await server.shutdown();
      throw error;
    });
    const stop = once(async () => {
      await atMost(DRAIN_MS, Promise.all([server.shutdown(), work.drain()]));
      await atMost(LEAVE_MS, work.leave());
      await gateway.close();
      release();
    });
    return { url: urlOf(config, server.addr), gateway, tickers: work.tickers, stop };
  } catch (error) {
    await gateway.close();
    release();
    throw error;
  }
}

interface Work {
  readonly tickers: Tickers;
  /** Rounds under way finish. */
  drain(): Promise<unknown>;
  leave(): Promise<void>;
}

/** What runs by itself, on whichever instance holds the job. */
async function startWork(
  config: Config,
  { deps, metrics, isExclusive }: { deps: Deps; metrics: Metrics; isExclusive: boolean },
): Promise<Work> {
  const membership = new Membership(deps);
  await membership.start();
  const jobs = isExclusive ? holdEverything(deps) : createJobHolder(deps, membership);
  const followers = createFollowers(deps, metrics, jobs);
  const follow = { name: "follow_chains", run: followers.run, pauseMs: FOLLOW_PAUSE_MS };
  const housekeeping = {
    name: "housekeeping",
    run: () => keepHouse(jobs, metrics),
    pauseMs: HOUSEKEEPING_PAUSE_MS,
  };
  const tickers = {
    follow: createTicker(follow, deps),
    housekeeping: createTicker(housekeeping, deps),
  };
  // A stopped ticker stays stopped, whatever the crons ask.
  for (const ticker of Object.values(tickers)) {
    void (config.isWorkerOn ? ticker.keepAlive() : ticker.stop());
  }
  return {
    tickers,
    drain: () =>
      Promise.all([...Object.values(tickers).map((ticker) => ticker.stop()), followers.idle()]),
    leave: () => membership.leave().catch(() => {}),
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
