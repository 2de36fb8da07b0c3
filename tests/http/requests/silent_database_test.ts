import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { createGatewayMetrics } from "../../../src/upkeep/metrics.ts";
import { createLog } from "../../../src/base/log.ts";
import { operationsRoutes } from "../../../src/http/operations.ts";
import type { RequestState } from "../../../src/http/request_state.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { makeServerPlace } from "../../support/database/database.ts";
import { enable, makeMerchant, makeNetwork, startGateway } from "../../support/gateway.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { DEAD_NODE } from "../clocked_gateway.ts";

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

const ETHER = { network: "ETH", currency: "ETH" };
const TOLD_MS = 5_000;

for (const worker of ["false", "true"]) {
  Deno.test(`contract 1: a database that stands still is a 503 within 5 s, reads too (worker ${worker})`, async () => {
    await using place = await makeServerPlace();
    await using gateway = await startGateway({ ...place.env, CPG_WORKER: worker });
    const { deps, url } = gateway;
    await makeNetwork(deps, { rpcUrls: [DEAD_NODE] });
    const { api, accountId } = await makeMerchant(gateway);
    await enable(deps, { accountId, ...ETHER });
    await adjustBalance(deps, { accountId, ...ETHER, amount: "9", note: "", actor: "test" });
    const { token } = await makeLogin(deps);
    const { body: { data: invoice } } = await api.post("/v1/invoices", {
      ...{ amount: "1", currency: "ETH", method: ETHER },
    });
    const pay = url + new URL(invoice.url).pathname;
    const paid = (client_reference: string) =>
      api.post("/v1/withdrawals", {
        ...ETHER,
        ...{ to_address: `0x${"1".repeat(40)}`, amount: "1", client_reference },
      });
    const asks: Record<string, (name: string) => Promise<{ status: number; headers: Headers }>> = {
      list: () => api.get("/v1/transactions"),
      record: () => api.get("/v1/withdrawals/1"),
      balances: () => api.get("/v1/balances"),
      address: () => api.post("/v1/deposit-addresses", ETHER),
      invoice: () => api.get(`/v1/invoices/${invoice.invoice_id}`),
      "new invoice": () => api.post("/v1/invoices", { amount: "1", currency: "ETH" }),
      "payer's page": () => plain(fetch(pay)),
      "payer's state": () => plain(fetch(`${pay}/state`)),
      page: () => plain(dashboardFetch(url, { path: "/deposits", token })),
      home: () => plain(dashboardFetch(url, { path: "", token })),
      payout: (name) => paid(name),
    };
    const askAll = (name: string) =>
      Promise.all(
        Object.entries(asks).map(async ([what, ask]) => {
          const sinceMs = performance.now();
          const { status, headers } = await ask(name);
          return { what, status, headers, ms: performance.now() - sinceMs };
        }),
      );
    await paid("of the record");
    // Everything works, and pages are loaded.
    for (const { what, status } of await askAll("before")) {
      assert.ok(status === 200 || what === "payout" && status === 502, `${what}: ${status}`);
    }

    place.sqld.freeze();
    try {
      for (const name of ["first", "second", "third"]) {
        for (const { what, status, headers, ms } of await askAll(name)) {
          assert.ok(ms < TOLD_MS, `${what}: ${name} after ${Math.round(ms)} ms`);
          // What was seen half a second ago is told again.
          if (name === "first" && what === "payer's state" && status === 200) continue;
          assert.equal(status, 503, what);
          assert.ok(Number(headers.get("retry-after")) >= 1, what);
        }
      }
      assert.equal((await fetch(`${url}/readyz`).then(plain)).status, 503);
    } finally {
      place.sqld.thaw();
    }
    const works = () => api.get("/v1/balances").then(({ status }) => status);
    await eventually(works, { until: (status) => status === 200 });
    // Of each reference at most one exists, and a repeated request finds it.
    for (const name of ["first", "second", "third"]) {
      await eventually(() => paid(name), { until: ({ status }) => status !== 503 });
      const rows = await deps.db.rows(Withdrawals, "WHERE client_reference = ?", [name]);
      assert.equal(rows.length, 1, name);
      assert.equal((await paid(name)).headers.get("x-cpg-replay"), "same");
    }
    for (const { what, status } of await askAll("after")) {
      assert.ok(status === 200 || what === "payout" && status === 502, `${what}: ${status}`);
    }
  });
}

async function plain(asked: Promise<Response> | Response) {
  const answer = await asked;
  await answer.body?.cancel();
  return answer;
}
