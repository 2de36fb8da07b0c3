import { Hono } from "hono";
import type { Deps } from "../deps/deps.ts";
import { findStop } from "../integrity/manage_stop.ts";
import { isSameSecret } from "../base/secrets/crypto.ts";
import { deadlineIn, OutOfTime } from "../base/waiting/deadline.ts";
import type { Metrics } from "../base/metrics.ts";
import { Refused } from "../domain/refusal.ts";
import { lagOf, secondsSinceAnswer, statusOf } from "../networks/rules/network_health.ts";
import { Unavailable } from "../store/connection/faults.ts";
import { endpointsOf, networkHealth, openCounts, scanGaps } from "../networks/reads/health.ts";
import { webhookBacklog } from "../webhooks/reads/due.ts";
import type { HttpEnv } from "./request_state.ts";

/** A load balancer wants to know, and asks again soon. */
const READY_MS = 3_000;

/** For load balancers and monitoring, without a signature. Accounts' data needs the token. */
export function operationsRoutes(
  { deps, metrics, metricsToken, readyMs = READY_MS }: {
    deps: Deps;
    metrics: Metrics;
    metricsToken?: string | undefined;
    readyMs?: number;
  },
): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  const get = (path: string, answer: (request: Request) => Response | Promise<Response>) =>
    app.get(path, async ({ req, env: { state } }) => {
      state.route = path;
      const response = await answer(req.raw);
      response.headers.set("x-request-id", state.requestId);
      return response;
    });
  get("/healthz", () => Response.json({ status: "alive" }));
  get("/readyz", async () => {
    const report = await readiness(deps, readyMs);
    return Response.json(report, { status: report.ready ? 200 : 503 });
  });
  get("/metrics", async (request) => {
    const isPublic = !hasToken(request, metricsToken);
    await gaugeDatabase(deps, metrics);
    const headers = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };
    return new Response(metrics.text({ isPublic }), { headers });
  });
  return app;
}

/** A wrong token is refused rather than ignored, or its owner would miss half of the metrics. */
function hasToken(request: Request, expected: string | undefined): boolean {
  const given = request.headers.get("authorization");
  if (given === null) return false;
  if (expected !== undefined && isSameSecret(given, `Bearer ${expected}`)) return true;
  throw new Refused("invalid_token");
}

/**
 * Ready means that the database answers and accepts writes. A lagging network is reported, but
 * doesn't stop the API.
 */
async function readiness({ db, clock, log }: Deps, withinMs: number) {
  const deadline = deadlineIn(withinMs);
  try {
    const [networks, gaps, takesWrites] = await deadline.race(
      Promise.all([networkHealth(db), scanGaps(db), db.takesWrites()]),
    );
    const nowMs = clock.nowMs();
    return {
      ready: takesWrites,
      database: takesWrites ? "ok" : "takes no writes",
      networks: networks.map((network) => ({
        network: network.network,
        scanned_to: network.scanHeight,
        lag_blocks: lagOf(network, nowMs),
        gaps: gaps.get(network.network) ?? [],
        seconds_since_answer: secondsSinceAnswer(network, nowMs),
        status: statusOf(network, nowMs),
      })),
    };
  } catch (error) {
    const isOfDatabase = error instanceof OutOfTime || error instanceof Unavailable;
    log.error("not ready", { error: isOfDatabase ? error.message : error });
    return { ready: false, database: "unavailable", networks: [] };
  } finally {
    deadline.cancel();
  }
}

async function gaugeDatabase({ db, clock }: Deps, metrics: Metrics): Promise<void> {
  metrics.gauge("cpg_write_queue_depth", db.queueDepth());
  const { withdrawals, deposits, alerts } = await openCounts(db);
  metrics.gauge("cpg_withdrawals_open", withdrawals);
  metrics.gauge("cpg_deposits_unconfirmed", deposits);
  metrics.gauge("cpg_alerts_open", alerts);
  metrics.gauge("cpg_stopped", await findStop(db) ? 1 : 0);
  const { pending, oldestAtMs } = await webhookBacklog(db);
  const nowMs = clock.nowMs();
  const oldestMs = oldestAtMs === null ? 0 : Math.max(0, nowMs - oldestAtMs);
  metrics.gauge("cpg_webhooks_pending", pending);
  metrics.gauge("cpg_webhooks_oldest_seconds", Math.round(oldestMs / 1000));
  for (const network of await networkHealth(db)) {
    const labels = { network: network.network };
    metrics.gauge("cpg_network_scan_height", network.scanHeight, labels);
    metrics.gauge("cpg_network_tip_height", network.tipHeight, labels);
    metrics.gauge("cpg_network_lag_blocks", lagOf(network, nowMs) ?? NaN, labels);
    const silentS = secondsSinceAnswer(network, nowMs);
    metrics.gauge("cpg_network_seconds_since_answer", silentS ?? NaN, labels);
    metrics.gauge("cpg_network_halted", network.haltedReason === null ? 0 : 1, labels);
    const sockets = (await endpointsOf(db, network.network)).flatMap((it) => it.isPushing ?? []);
    const down = sockets.filter((isPushing) => !isPushing).length;
    metrics.gauge("cpg_network_sockets_down", down, labels);
  }
}
