import assert from "node:assert/strict";
import { createGatewayMetrics } from "../../../src/actions/operations/metrics.ts";
import { createLog } from "../../../src/base/log.ts";
import { operationsRoutes } from "../../../src/http/operations.ts";
import type { RequestState } from "../../../src/http/request_state.ts";
import { startGateway } from "../../support/gateway.ts";

Deno.test("a database that says nothing isn't waited for: the program isn't ready, and logs why", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps } = gateway;
  const logged: string[] = [];
  const write = (line: () => string) => void logged.push(line());
  const log = createLog({ level: "error", clock: deps.clock, write });
  const silent = { ...deps.db, query: () => new Promise<never>(() => {}) };
  const metrics = createGatewayMetrics();
  const routes = operationsRoutes({ deps: { ...deps, db: silent, log }, metrics, readyMs: 1 });
  const state = { requestId: "abc" } as RequestState;
  const reply = await routes.request("/readyz", {}, { state });
  assert.equal(reply.status, 503);
  assert.deepEqual(await reply.json(), { ready: false, database: "unavailable", networks: [] });
  assert.match(logged.join(""), /"not ready","error":"no answer within 1 ms"/);
  assert.equal((await fetch(`${gateway.url}/readyz`)).status, 200);
});
