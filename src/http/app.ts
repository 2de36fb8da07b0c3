import { type Context, Hono } from "hono";
import { Accounts } from "../accounts/tables/accounts.ts";
import { present } from "../base/assert.ts";
import { tokenSource } from "../base/bytes.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Cidr } from "../base/net/cidr.ts";
import { clientIp } from "../base/net/client_ip.ts";
import { hasPlainHost, rawPath, rawTarget } from "../base/net/request_target.ts";
import type { Deps } from "../deps/deps.ts";
import { Refused } from "../domain/refusal.ts";
import { admit } from "./admit.ts";
import { type Authenticate, createAuthentication } from "./authenticate.ts";
import { Crowd } from "./crowd.ts";
import { type Endpoint, permissionsOf, routePattern } from "./endpoint.ts";
import { ENDPOINTS } from "./endpoints.ts";
import { answerOf, type ErrorAnswer } from "./error_table.ts";
import { openApiRoutes } from "./openapi/routes.ts";
import { operationsRoutes } from "./operations.ts";
import { createRateLimiter, type RateLimiter } from "./rate_limiter.ts";
import { errorReply } from "./reply.ts";
import { deny, type HttpEnv, type RequestState, signerOf } from "./request_state.ts";
import type { Described } from "../request_log/request_notes.ts";

const WRITES: ReadonlySet<string> = new Set(["POST", "PATCH", "DELETE"]);
/** It writes nothing, and reports the suspension itself. */
const CHECK = "/v1/withdrawals/check";

interface AppOptions {
  readonly deps: Deps;
  readonly metrics: Metrics;
  readonly trustedProxies: readonly Cidr[];
  readonly authFailuresPerMinute: number;
  readonly metricsToken?: string | undefined;
  readonly bodyTimeoutMs: number;
  /** Whatever else is served beside the API, without a signature. */
  readonly pages?: Hono<HttpEnv>;
  /** The management API, for whoever has signed. */
  readonly manage?: Manage;
}

const NO_BODY = new Uint8Array();
/** Labels made from strangers' input would fill the memory. */
const METHODS: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
]);

export type Manage = (
  c: Context<HttpEnv>,
  /** Takes from the key's budget, once the role is known to allow the request. */
  take: () => void | Promise<void>,
) => Promise<Response>;

interface App {
  fetch(request: Request, from: { readonly remoteIp: string }): Promise<Response>;
}

/** The signed /v1 API (spec 4) and the endpoints for monitoring. */
export function createApp(
  options: AppOptions,
  endpoints: readonly Endpoint[] = ENDPOINTS,
): App {
  const routes = createRoutes(options, endpoints);
  const report = requestReporter(options);
  const nextRequestId = tokenSource(12);
  return {
    fetch: async (request, { remoteIp }) => {
      const requestId = nextRequestId();
      const state = beginRequest(request, { requestId, remoteIp, trusted: options.trustedProxies });
      const response = hasPlainHost(request)
        ? await routes.fetch(request, { state })
        : errorReply(state, new Refused("invalid_host"));
      report(request, { state, status: response.status });
      return response;
    },
  };
}

/**
 * Each endpoint is a single handler, because a chain of Hono handlers costs a request as much as
 * its log line. Whatever else is asked for goes to a second app: its patterns overlap, and Hono
 * finds a path several times faster in an app where none do.
 */
function createRoutes(options: AppOptions, endpoints: readonly Endpoint[]): Hono<HttpEnv> {
  const { deps, authFailuresPerMinute, bodyTimeoutMs } = options;
  const limiter = createRateLimiter(deps);
  const authenticate = createAuthentication(deps, {
    failuresPerMinute: authFailuresPerMinute,
    bodyTimeoutMs,
  });
  const crowd = new Crowd();
  const others = createOthers(options, { endpoints, authenticate, limiter, crowd });
  const app = new Hono<HttpEnv>({ getPath });
  app.onError((error, { env: { state } }) => {
    const answer = answerOf(error);
    if (answer.status === 500) {
      deps.log.error("request failed", { request_id: state.requestId, error });
    }
    state.answer = answer;
    if (error instanceof Refused) {
      if (error.code === "body_incomplete") state.route = "incomplete body";
      if (!state.denial) deny(state, { reason: error.code });
      if (state.isSignatureStored) limiter.refused(state);
    }
    return errorReply(state, error);
  });
  app.notFound((c) => others.fetch(c.req.raw, c.env));
  const fixed = new Set(endpoints.map(({ path }) => path).filter(isFixed));
  for (const endpoint of endpoints) {
    const { method, path } = endpoint;
    const route = routePattern(path);
    const handle = endpoint.handle(deps);
    const permissions = permissionsOf(endpoint);
    app.on(method, route, async (c, next) => {
      // "/v1/withdrawals/check" is no withdrawal, whatever the method.
      if (!isFixed(path) && fixed.has(c.req.path)) return others.fetch(c.req.raw, c.env);
      await authenticate(c);
      c.env.state.route = route;
      const admitted = admit(c.env.state, { path, permissions, limiter });
      if (admitted) await admitted;
      const leave = crowd.enter(signerOf(c.env.state).keyId);
      try {
        return await handle(c, next);
      } finally {
        leave();
      }
    });
  }
  return app;
}

function isFixed(path: string): boolean {
  return !path.includes("{");
}

/** What begins so is signed. */
const SIGNED = ["/v1/", "/admin/v1/"];

/** None of our paths needs percent-encoding, so an encoded path matches nothing. */
function getPath(_request: Request, options?: { env?: HttpEnv["Bindings"] }): string {
  const path = rawPath(present(options?.env, "The request has begun").state.target);
  if (!path.includes("%")) return path;
  const signed = SIGNED.find((prefix) => path.startsWith(prefix));
  return `${signed ?? "/"}%`;
}

/** Monitoring and pages, without a signature, and behind it what the API refuses. */
function createOthers(
  options: AppOptions,
  { endpoints, authenticate, limiter, crowd }: {
    endpoints: readonly Endpoint[];
    authenticate: Authenticate;
    limiter: RateLimiter;
    crowd: Crowd;
  },
): Hono<HttpEnv> {
  const { deps, manage } = options;
  const app = new Hono<HttpEnv>({ getPath });
  // The outer app answers it.
  app.onError((error) => {
    throw error;
  });
  app.notFound(() => {
    throw new Refused("not_found");
  });
  app.route("/", operationsRoutes(options));
  app.route("/", openApiRoutes());
  if (options.pages) app.route("/", options.pages);
  if (manage) {
    app.all("/admin/v1/*", async (c) => {
      const { state } = c.env;
      await authenticate(c);
      state.route = "/admin/v1";
      const { roleKey } = state;
      if (!roleKey) {
        limiter.peek(state);
        throw new Refused("role_missing");
      }
      const leave = crowd.enter(roleKey.keyId);
      limiter.peek(state);
      try {
        return await manage(c, () => limiter.take(state));
      } finally {
        leave();
      }
    });
  }
  app.use("/v1/*", async (c, next) => {
    await authenticate(c);
    await next();
  });
  // The first that matches answers.
  const fixedFirst = endpoints.toSorted((a, b) =>
    Number(isFixed(b.path)) - Number(isFixed(a.path))
  );
  for (const [path, some] of Map.groupBy(fixedFirst, ({ path }) => path)) {
    const route = routePattern(path);
    const allow = some.map(({ method }) => method).join(", ");
    app.all(route, async (c) => {
      c.env.state.route = route;
      await limiter.take(c.env.state);
      await refuseSuspended(deps, c);
      throw new Refused("method_not_allowed", { allow });
    });
  }
  app.all("/v1/*", async (c) => {
    await limiter.take(c.env.state);
    await refuseSuspended(deps, c);
    throw new Refused("not_found");
  });
  return app;
}

function beginRequest(
  request: Request,
  { requestId, remoteIp, trusted }: {
    requestId: string;
    remoteIp: string;
    trusted: readonly Cidr[];
  },
): RequestState {
  const forwardedFor = trusted.length === 0 ? null : request.headers.get("x-forwarded-for");
  return {
    requestId,
    target: rawTarget(request.url),
    ip: clientIp(remoteIp, { forwardedFor, trusted }),
    startedAtMs: performance.now(),
    isWrite: request.method !== "GET" && request.method !== "HEAD",
    route: "unknown",
    body: NO_BODY,
  };
}

/**
 * Whoever reads the log must not say where a refund goes, nor become the owner by a link that came
 * here because the dashboard has an address of its own.
 */
function withoutToken(target: string): string {
  if (target.startsWith("/refund/")) return "/refund/…";
  return target.replace(/(\/set-up\/).+/i, "$1…");
}

interface RequestSeries {
  count(): void;
  observe(seconds: number): void;
}

/** Counts each answer and logs it. */
function requestReporter({ deps, metrics }: AppOptions) {
  const all = new Map<string, RequestSeries>();

  function seriesOf(method: string, route: string, status: number): RequestSeries {
    const name = `${method} ${status} ${route}`;
    let series = all.get(name);
    if (!series) {
      series = {
        count: metrics.counter("cpg_http_requests_total", {
          method,
          route,
          status: String(status),
        }),
        observe: metrics.histogram("cpg_http_request_seconds", { route }),
      };
      all.set(name, series);
    }
    return series;
  }

  return (request: Request, { state, status }: { state: RequestState; status: number }): void => {
    const { method } = request;
    const named = METHODS.has(method) ? method : "other";
    const ms = performance.now() - state.startedAtMs;
    const series = seriesOf(named, state.route, status);
    series.count();
    series.observe(ms / 1000);
    noteRequest(deps, { method: named, state, status });
    deps.log.info("request", {
      request_id: state.requestId,
      method,
      target: withoutToken(state.target),
      status,
      key_id: state.key?.keyId ?? state.roleKey?.keyId ?? state.denial?.keyId,
      reason: state.denial?.reason,
      skew_seconds: state.denial?.skewS,
      ip: state.ip,
      ms: Math.round(ms * 100) / 100,
    });
  };
}

interface Answered {
  readonly method: string;
  readonly state: RequestState;
  readonly status: number;
}

/** For the request log. Only counts, unless a request of somebody's key was rejected. */
function noteRequest(
  { memory: { requests }, clock }: Deps,
  { method, state, status }: Answered,
): void {
  const { key, denial, answer, route } = state;
  if (status < 400) {
    if (key) requests.succeeded(key, { route, method, atMs: clock.nowMs() });
    return;
  }
  if (!answer || !state.target.startsWith("/v1/")) return;
  const accountId = key?.accountId ?? denial?.accountId;
  const keyId = key?.keyId ?? denial?.keyId;
  if (typeof accountId !== "number" || !keyId) return requests.strange(clock.nowMs());
  const from = { accountId, keyId, route, method, atMs: clock.nowMs() };
  const isProven = key !== undefined;
  requests.rejected(from, { isProven, describe: () => described(state, { answer, status }) });
}

function described(
  { target, denial, ip, requestId, body }: RequestState,
  { answer: { code, message }, status }: { answer: ErrorAnswer; status: number },
): Described {
  const { reason = code, skewS, canonical = null } = denial ?? {};
  const isSkewed = skewS !== undefined && Number.isFinite(skewS);
  return {
    ...{ target, status, code, message, reason, ip, requestId, canonical, body },
    skewS: isSkewed ? skewS : null,
  };
}

/** Writes that match no endpoint are refused in the same way. */
async function refuseSuspended({ db }: Deps, c: Context<HttpEnv>): Promise<void> {
  if (!WRITES.has(c.req.method) || c.req.path === CHECK) return;
  const { accountId } = signerOf(c.env.state);
  const account = accountId === null ? undefined : await db.find(Accounts, [accountId]);
  if (account && account.suspendedAtMs !== null) throw new Refused("account_suspended");
}
