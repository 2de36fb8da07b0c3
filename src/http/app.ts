import { Hono } from "hono";
import { randomToken } from "../base/bytes.ts";
import type { Cidr } from "../base/cidr.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Deps } from "../actions/deps.ts";
import { Refused } from "../domain/refusal.ts";
import { allowWith } from "./allow.ts";
import { authenticate } from "./authenticate.ts";
import { clientIp } from "../base/client_ip.ts";
import { type Endpoint, endpointsOf } from "./endpoints.ts";
import { answerOf } from "./error_table.ts";
import { operationsRoutes } from "./operations.ts";
import { createRateLimiter } from "./rate_limiter.ts";
import { errorReply } from "./reply.ts";
import { type HttpEnv, rawTarget, type RequestState } from "./request_state.ts";

export interface AppOptions {
  readonly deps: Deps;
  readonly metrics: Metrics;
  readonly trustedProxies: readonly Cidr[];
  readonly authFailuresPerMinute: number;
}

/** The signed /v1 API (spec 4) and what an operator's monitoring asks. */
export function createApp(
  options: AppOptions,
  endpoints: readonly Endpoint[] = endpointsOf(options.deps),
): Hono<HttpEnv> {
  const { deps } = options;
  const app = new Hono<HttpEnv>();
  app.use(beginRequest(options));
  app.onError((error, c) => {
    const state = c.get("state");
    if (answerOf(error).status === 500) {
      deps.log.error("request failed", { request_id: state.requestId, error });
    }
    return errorReply(state, error);
  });
  app.notFound((c) => errorReply(c.get("state"), new Refused("not_found")));
  app.route("/", operationsRoutes(options));

  const limiter = createRateLimiter(deps);
  const allow = allowWith(limiter);
  app.use("/v1/*", authenticate(deps, { failuresPerMinute: options.authFailuresPerMinute }));
  for (const { method, path, permission, handle } of endpoints) {
    app.on(method, path, allow(permission), handle);
    app.all(path, async (c) => {
      await limiter.take(c.get("state"));
      throw new Refused("method_not_allowed", { allow: method });
    });
  }
  app.all("/v1/*", async (c) => {
    await limiter.take(c.get("state"));
    throw new Refused("not_found");
  });
  return app;
}

const HOST = /^[\w.\-:[\]]*$/;

function beginRequest({ deps, metrics, trustedProxies }: AppOptions) {
  return async function beginRequest(
    c: import("hono").Context<HttpEnv>,
    next: () => Promise<void>,
  ): Promise<void> {
    const request = c.req.raw;
    const remoteIp = c.env.remoteIp;
    const forwardedFor = request.headers.get("x-forwarded-for");
    const state: RequestState = {
      requestId: randomToken(12),
      target: rawTarget(request.url),
      ip: clientIp(remoteIp, { forwardedFor, trusted: trustedProxies }),
      startedAtMs: performance.now(),
      body: new Uint8Array(),
    };
    c.set("state", state);
    // The URL is put together from the header, and the target is read out of it again.
    if (!HOST.test(request.headers.get("host") ?? "")) throw new Refused("not_found");
    await next();
    const seconds = (performance.now() - state.startedAtMs) / 1000;
    const route = c.req.routePath;
    metrics.count("cpg_http_requests_total", {
      method: request.method,
      route,
      status: String(c.res.status),
    });
    metrics.observe("cpg_http_request_seconds", seconds, { route });
    deps.log.info("request", {
      request_id: state.requestId,
      method: request.method,
      target: state.target,
      status: c.res.status,
      key_id: state.key?.keyId,
      ip: state.ip,
      ms: Math.round(seconds * 1e5) / 100,
    });
  };
}
