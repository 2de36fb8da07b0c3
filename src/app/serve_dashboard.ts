import { firstOperatorLink } from "../access/manage_links.ts";
import type { Deps } from "../deps/deps.ts";
import type { Config } from "./config/config.ts";
import { describeConfig, type KeyFile } from "./config/describe.ts";
import { createDashboard } from "../dashboard/app.ts";
import { createLiveStreams } from "../dashboard/live.ts";
import { BASE } from "../dashboard/visit.ts";
import { randomToken } from "../base/bytes.ts";
import { hasPlainHost, rawTarget } from "../base/net/request_target.ts";
import { listen } from "./listen.ts";

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

const NEVER = new Promise<never>(() => {});

/** A request without a plain host is left to the API, which refuses it. */
export function isForDashboard(request: Request): boolean {
  const target = rawTarget(request.url);
  return target.startsWith(BASE) && /^(?:[/?]|$)/.test(target.slice(BASE.length)) &&
    hasPlainHost(request);
}

export function serveDashboard(deps: Deps, config: Config & KeyFile): DashboardServing {
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
export function reachableUrl({ publicUrl, port }: Config, apiUrl: string): string {
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
