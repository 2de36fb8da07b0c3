import { Hono } from "hono";
import { endFirstOperatorLink, firstOperatorLink } from "../access/manage_links.ts";
import { createManage } from "../admin/manage.ts";
import { manageOpenApi } from "../admin/openapi.ts";
import type { Config } from "./config/config.ts";
import { describeConfig, type KeyFile } from "./config/describe.ts";
import { assertMayCreate, type Gateway, openGateway } from "./gateway.ts";
import { listen, mustBeFree } from "./listen.ts";
import { randomToken } from "../base/bytes.ts";
import type { Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import { hasPlainHost, rawTarget } from "../base/net/request_target.ts";
import { once } from "../base/once.ts";
import { loadChains } from "../chains/registry.ts";
import { noteCalls } from "../costs/note_calls.ts";
import { createDashboard } from "../dashboard/app.ts";
import { createLiveStreams } from "../dashboard/live.ts";
import { BASE, BASE as DASHBOARD } from "../dashboard/visit.ts";
import type { Deps } from "../deps/deps.ts";
import { createDocs } from "../docs/app.ts";
import { BASE as DOCS } from "../docs/site.ts";
import { createFollowers } from "../following/workers/follow_chains.ts";
import { createApp } from "../http/app.ts";
import { redirectTo } from "../http/reply.ts";
import type { HttpEnv } from "../http/request_state.ts";
import type { DemoWallet } from "../invoices/rules/demo_wallet.ts";
import { judgeInvoices } from "../invoices/worker.ts";
import { NetworkKeeper } from "../networks/worker.ts";
import { sendNotices } from "../notifications/worker.ts";
import { createPay } from "../pay/app.tsx";
import { RateReader } from "../rates/worker.ts";
import { keepRequests } from "../request_log/keep_requests.ts";
import { isEmbedded } from "../store/connection/connect.ts";
import { assertNoOtherBeside } from "../store/connection/database_there.ts";
import { createJobHolder, holdEverything } from "../upkeep/leases.ts";
import { Membership } from "../upkeep/membership.ts";
import { createGatewayMetrics } from "../upkeep/metrics.ts";
import { keepHouse } from "../upkeep/worker.ts";
import { WebhookDeliverer } from "../webhooks/workers/deliver_webhooks.ts";
import { createTicker, type Ticker } from "../workers/ticker.ts";

const NEVER = new Promise<never>(() => {});

export interface Serving {
  readonly url: string;
  /** A line for the operator if something was just created. */
  readonly created: string | undefined;
  /** Null: switched off. */
  readonly dashboardUrl: string | null;
  /** A one-time link that creates the first operator; null once there is one. */
  setUpUrl(): Promise<string | null>;
  readonly gateway: Gateway;
  readonly tickers: Tickers;
  /** Settles with the reason once nothing can connect any more. */
  readonly lost: Promise<unknown>;
  /** Requests in progress finish, the writer drains, and all resources are released. */
  stop(): Promise<void>;
}

/** What no configuration can switch on. */
interface Parts {
  readonly demoWallet?: DemoWallet | undefined;
  /** Instead of standard error. */
  readonly log?: Log;
}

interface Tickers {
  readonly follow: Ticker;
  readonly webhooks: Ticker;
  readonly housekeeping: Ticker;
  readonly networks: Ticker;
  readonly notices: Ticker;
  readonly invoices: Ticker;
  readonly requests: Ticker;
  readonly rates: Ticker;
  readonly calls: Ticker;
}

const FOLLOW_PAUSE_MS = 50;
/** How soon other programs' writes are noticed; this program's own are noticed at once. */
const WEBHOOKS_PAUSE_MS = 500;
const HOUSEKEEPING_PAUSE_MS = 30_000;
const NOTICES_PAUSE_MS = 2_000;
const RATES_PAUSE_MS = 1_000;
/** A payer sees within two seconds what was seen on the chain. */
const INVOICES_PAUSE_MS = 500;
/** A crash loses this much of the request log. */
const REQUESTS_PAUSE_MS = 1_000;
/** A crash loses this much of how many calls nodes have answered. */
const CALLS_PAUSE_MS = 60_000;
/** Part of the five seconds within which a stop must be done. */
const DRAIN_MS = 3_000;
const LEAVE_MS = 1_000;

export async function serve(config: Config & Parts): Promise<Serving> {
  await loadChains();
  const release = await lock(config);
  const isExclusive = isEmbedded(config.databaseUrl);
  const gateway = await open(config, { isExclusive }).catch((error) => {
    release();
    throw error;
  });
  const { deps } = gateway;
  for (const line of config.warnings) deps.log.warn(line);
  try {
    // A wrong master key must be noticed before any request is answered.
    await deps.keyRing();
    const metrics = createGatewayMetrics();
    const { trustedProxies } = config;
    const manage = createManage({ deps, databaseUrl: config.databaseUrl });
    const app = createApp({ ...config, deps, metrics, pages: pagesOf(deps, config), manage });
    const dashboard = serveDashboard(deps, { ...config, keyFile: gateway.keyFile });
    const how = { limits: config.connections, trustedProxies, log: deps.log };
    const server = listen({ ...config, ...how, prefix: "CPG" }, (request, remoteIp) => {
      if (dashboard.handle && isForDashboard(request)) return dashboard.handle(request, remoteIp);
      return app.fetch(request, { remoteIp });
    });
    const { url } = server;
    const publicUrl = reachableUrl(config, url);
    const work = await startWork(config, { deps, metrics, isExclusive, publicUrl }).catch(
      async (error) => {
        await Promise.all([server.shutdown(), dashboard.stop()]);
        throw error;
      },
    );
    const stop = once(async () => {
      await atMost(DRAIN_MS, Promise.all([server.shutdown(), dashboard.stop(), work.drain()]));
      await atMost(LEAVE_MS, work.leave());
      await gateway.close();
      release();
    });
    const setUpUrl = () => dashboard.setUpUrl(url);
    const dashboardUrl = dashboard.urlOf(url);
    const { created } = gateway;
    const lost = Promise.race([server.lost, dashboard.lost]);
    return { url, created, dashboardUrl, setUpUrl, gateway, tickers: work.tickers, lost, stop };
  } catch (error) {
    if (gateway.created) deps.log.warn(gateway.created);
    await gateway.close();
    release();
    throw error;
  }
}

async function open(
  config: Config & Parts,
  { isExclusive }: { isExclusive: boolean },
): Promise<Gateway> {
  // Before a database is created that nobody serves. Deno Deploy listens where it likes.
  if (config.connections) mustBeFree(config);
  return await openGateway(config, { isExclusive, log: config.log });
}

/** Payers' pages, the documentation, and where visitors of the bare address are sent. */
function pagesOf(
  deps: Deps,
  { dashboard, hasDocs, publicUrl, bodyTimeoutMs, demoWallet }: Config & Parts,
): Hono<HttpEnv> {
  const pages = new Hono<HttpEnv>();
  pages.route("/", createPay(deps, { bodyTimeoutMs, demoWallet }));
  if (hasDocs) pages.route("/", createDocs({ publicUrl }));
  pages.route("/", manageOpenApi());
  const home = dashboard.kind === "beside" ? DASHBOARD : hasDocs ? DOCS : undefined;
  if (home !== undefined) pages.get("/", (c) => redirectTo(c.env.state, home, 302));
  return pages;
}

interface Work {
  readonly tickers: Tickers;
  /** Lets rounds in progress finish. */
  drain(): Promise<unknown>;
  leave(): Promise<void>;
}

/** Background work, on whichever instance holds the job. */
async function startWork(
  config: Config,
  { deps, metrics, isExclusive, publicUrl }: {
    deps: Deps;
    metrics: Metrics;
    isExclusive: boolean;
    publicUrl: string;
  },
): Promise<Work> {
  const membership = new Membership({ ...deps, publicUrl });
  await membership.start();
  const jobs = isExclusive ? holdEverything(deps) : createJobHolder(deps, membership);
  const followers = createFollowers(deps, metrics, jobs);
  const deliverer = new WebhookDeliverer(deps, metrics);
  const keeper = new NetworkKeeper(deps, metrics, jobs);
  const rates = new RateReader(deps, jobs);
  const tickers = createTickers(deps, {
    follow: followers.run,
    webhooks: () => deliverer.look(),
    housekeeping: () => keepHouse(jobs),
    networks: () => keeper.look(),
    requests: () => keepRequests(deps),
    notices: () => sendNotices(jobs),
    rates: () => rates.look(),
    invoices: () => judgeInvoices(jobs),
    calls: () => noteCalls(deps),
  });
  // A stopped ticker stays stopped, whatever the crons ask. Each instance has its own of these.
  const own = [tickers.requests, tickers.calls];
  for (const ticker of Object.values(tickers)) {
    const isOn = config.isWorkerOn || own.includes(ticker);
    void (isOn ? ticker.keepAlive() : ticker.stop());
  }
  if (config.isWorkerOn) deliverer.watch();
  return {
    tickers,
    drain: () =>
      Promise.all([
        ...Object.values(tickers).map((ticker) => ticker.stop()),
        followers.close(),
        followers.idle(),
        keeper.idle(),
        rates.idle(),
        deliverer.stop(),
      ]),
    leave: async () => {
      await keepRequests(deps).catch(() => {});
      await noteCalls(deps).catch(() => {});
      await membership.leave().catch(() => {});
    },
  };
}

type Runs = { readonly [Name in keyof Tickers]: (signal: AbortSignal) => Promise<void> };

function createTickers(deps: Deps, runs: Runs): Tickers {
  const ticker = (name: string, run: Runs["follow"], { pauseMs }: { pauseMs: number }) =>
    createTicker({ name, run, pauseMs }, deps);
  return {
    follow: ticker("follow_chains", runs.follow, { pauseMs: FOLLOW_PAUSE_MS }),
    webhooks: ticker("deliver_webhooks", runs.webhooks, { pauseMs: WEBHOOKS_PAUSE_MS }),
    housekeeping: ticker("housekeeping", runs.housekeeping, { pauseMs: HOUSEKEEPING_PAUSE_MS }),
    networks: ticker("keep_networks", runs.networks, { pauseMs: HOUSEKEEPING_PAUSE_MS }),
    requests: ticker("request_log", runs.requests, { pauseMs: REQUESTS_PAUSE_MS }),
    notices: ticker("send_notices", runs.notices, { pauseMs: NOTICES_PAUSE_MS }),
    rates: ticker("read_rates", runs.rates, { pauseMs: RATES_PAUSE_MS }),
    invoices: ticker("judge_invoices", runs.invoices, { pauseMs: INVOICES_PAUSE_MS }),
    calls: ticker("note_calls", runs.calls, { pauseMs: CALLS_PAUSE_MS }),
  };
}

/** An embedded database has one server; a remote one may have several. */
async function lock(config: Config): Promise<() => void> {
  if (!isEmbedded(config.databaseUrl)) return () => {};
  await assertNoOtherBeside(config.databaseUrl);
  // The lock's file would be the first in its folder.
  await assertMayCreate(config);
  const { takeServeLock } = await import("../store/connection/serve_lock.ts");
  const taken = await takeServeLock(config.databaseUrl);
  return () => taken.release();
}

/** A node that hangs must not delay the stop. Whatever is cut off here resumes at the next start. */
async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([work, late.promise]);
  clearTimeout(timer);
}

type Handle = (request: Request, remoteIp: string) => Response | Promise<Response>;

interface DashboardServing {
  /** Undefined if it isn't on the API's listener. */
  readonly handle: Handle | undefined;
  /** The dashboard's address; null if it is off. `apiUrl` is where the API listens. */
  urlOf(apiUrl: string): string | null;
  /** A one-time link that creates the first operator; null once somebody can sign in. */
  setUpUrl(apiUrl: string): Promise<string | null>;
  readonly lost: Promise<unknown>;
  stop(): Promise<void>;
}

/** A request without a plain host is left to the API, which refuses it. */
function isForDashboard(request: Request): boolean {
  const target = rawTarget(request.url);
  return target.startsWith(BASE) && /^(?:[/?]|$)/.test(target.slice(BASE.length)) &&
    hasPlainHost(request);
}

export function serveDashboard(
  deps: Deps,
  config: Config & KeyFile & Pick<Parts, "demoWallet">,
): DashboardServing {
  const { dashboard, trustedProxies } = config;
  if (dashboard.kind === "off") return off();
  const live = createLiveStreams();
  const isBeside = dashboard.kind === "beside";
  const publicUrl = dashboard.url ??
    (isBeside ? config.publicUrl : `http://${dashboard.host}:${dashboard.port}`);
  const environment = describeConfig(config);
  const { bodyTimeoutMs } = config;
  const app = createDashboard({
    deps,
    publicUrl,
    trustedProxies,
    bodyTimeoutMs,
    live,
    environment,
    isDemo: config.demoWallet !== undefined,
  });
  const handle: Handle = (request, remoteIp) =>
    hasPlainHost(request)
      ? app.fetch(request, { remoteIp })
      : new Response("Invalid Host header\n", {
        status: 400,
        headers: { "x-request-id": randomToken(12) },
      });
  const how = { limits: config.connections, trustedProxies, log: deps.log };
  const own = isBeside
    ? undefined
    : listen({ ...dashboard, ...how, prefix: "CPG_DASHBOARD" }, handle);
  // If any free port was requested, the listener knows the real one.
  const address = (apiUrl: string) => dashboard.url ?? own?.url ?? reachableUrl(config, apiUrl);
  return {
    handle: isBeside ? handle : undefined,
    urlOf: (apiUrl) => address(apiUrl) + BASE,
    setUpUrl: async (apiUrl) => {
      if (!config.hasSetUp) {
        await endFirstOperatorLink(deps);
        return null;
      }
      const token = await firstOperatorLink(deps);
      return token === undefined ? null : `${address(apiUrl)}${BASE}/set-up/${token}`;
    },
    lost: own?.lost ?? NEVER,
    stop: async () => {
      live.close();
      await own?.shutdown();
    },
  };
}

/** The public address if there is one, else the address that the API listens on. */
function reachableUrl({ publicUrl, port }: Config, apiUrl: string): string {
  return publicUrl.startsWith("https:") || port !== 0 ? publicUrl : apiUrl;
}

function off(): DashboardServing {
  return {
    handle: undefined,
    urlOf: () => null,
    setUpUrl: () => Promise.resolve(null),
    lost: NEVER,
    stop: () => Promise.resolve(),
  };
}
