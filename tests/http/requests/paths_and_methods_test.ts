import assert from "node:assert/strict";
import { ENDPOINTS } from "../../../src/http/endpoints.ts";
import { makeClockedMerchant, startClockedGateway, timestampOf } from "../clocked_gateway.ts";
import { rawRequest, rawSigned } from "./raw_request.ts";
import { assertRefused } from "../withdrawals/refusals.ts";

const gateway = await startClockedGateway();
Deno.test.afterAll(() => gateway.stop());
const { api, credentials } = await makeClockedMerchant(gateway);

const METHODS: Record<string, readonly string[]> = {
  "GET": [
    "/v1/_ping",
    "/v1/currencies",
    "/v1/balances",
    "/v1/deposit-requests/1",
    "/v1/withdrawals/1",
    "/v1/transactions",
    "/v1/hot-wallet-address",
    "/v1/deposit-requests",
    "/v1/deposits",
    "/v1/ledger",
    "/v1/events",
    "/v1/events/evt_1",
    "/v1/invoices/1",
    "/v1/payment-links/1",
  ],
  "POST": [
    "/v1/deposit-addresses",
    "/v1/webhooks/1/rotate",
    "/v1/webhooks/1/test",
    "/v1/events/evt_1/redeliver",
    "/v1/withdrawals/check",
    "/v1/invoices/1/methods",
    "/v1/invoices/1/cancel",
    "/v1/invoices/1/extend",
    "/v1/invoices/1/accept",
    "/v1/invoices/1/refunds",
    "/v1/invoices/1/refund-links",
    "/v1/payment-links/1/deactivate",
  ],
  "POST, GET": ["/v1/withdrawals", "/v1/webhooks", "/v1/invoices", "/v1/payment-links"],
  "GET, PATCH, DELETE": ["/v1/webhooks/1"],
};

Deno.test("every endpoint's path is among those whose methods are tried", () => {
  const shape = (path: string) => path.replace(/\/(1|evt_1|\{\w+\})(?=\/|$)/g, "/*");
  const tried = new Set(Object.values(METHODS).flat().map(shape));
  assert.deepEqual(ENDPOINTS.map(({ path }) => path).filter((path) => !tried.has(shape(path))), []);
});

for (const [allowed, targets] of Object.entries(METHODS)) {
  for (const target of targets) {
    Deno.test(`contract 1: any method but ${allowed} on ${target} is 405 with Allow: ${allowed}`, async () => {
      const wrong = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]
        .filter((method) => !allowed.split(", ").includes(method));
      for (const method of wrong) {
        const reply = await api.send({ method, target });
        assertRefused(reply, "method_not_allowed");
        assert.equal(reply.headers.get("allow"), allowed, method);
      }
    });
  }
}

const UNKNOWN = [
  "/v1/",
  "/v1/nowhere",
  "/v1/_ping/",
  "/v1/_ping/x",
  "/v1/Balances",
  "/v1/balances/",
  "/v1/balances/ETH",
  "/v1//balances",
  "/v1/deposit-addresses/1",
  "/v1/deposit-requests/",
  "/v1/withdrawals/",
  "/v1/withdrawals/1/cancel",
  "/v1/transactions/1",
  "/v1/hot-wallet-address/ETH",
  "/v1/v1/_ping",
  "/v1/%00",
  "/v1/%",
  "/v1/constructor",
  "/v1/__proto__",
];

for (const target of UNKNOWN) {
  Deno.test(`contract 1: the unknown path ${target} is 404 "Not found", for every method`, async () => {
    for (const method of ["GET", "POST", "DELETE"]) {
      const call = { method, target, timestamp: timestampOf(gateway.clock) };
      assertRefused(await rawSigned(gateway.url, { credentials, call }), "not_found");
    }
  });
}

Deno.test("spec 9: every endpoint lives under the /v1 prefix and nowhere else", async () => {
  for (const path of Object.values(METHODS).flat()) {
    for (const target of [path.replace("/v1", ""), path.replace("/v1", "/v2"), path.slice(1)]) {
      const call = { method: "GET", target, timestamp: timestampOf(gateway.clock) };
      const { status } = await rawSigned(gateway.url, { credentials, call })
        .catch(() => ({ status: 400 }));
      assert.ok(status === 404 || status === 400, `${target} is ${status}`);
    }
    const upper = { method: "GET", target: path.replace("/v1", "/V1") };
    assert.equal((await api.send(upper)).status, 404);
  }
});

Deno.test("contract 2: an unknown path outside /v1 is 404 Not found with the same error body", async () => {
  for (const target of ["/nowhere", "/", "/favicon.ico", "/v1x/_ping"]) {
    const reply = await rawRequest(gateway.url, { method: "GET", target, headers: [] });
    if (target !== "/" || reply.status === 404) assertRefused(reply, "not_found");
  }
});

Deno.test("spec 4.5, 4.7: a record's path takes integers, and anything else is 404 Not found", async () => {
  const ids = ["0", "-1", "1.0", "1e0", "0x1", "abc", "1%20", "%20", "null", "9".repeat(30), "1,2"];
  for (const path of ["/v1/deposit-requests", "/v1/withdrawals", "/v1/webhooks", "/v1/events"]) {
    for (const id of [...ids, "9007199254740993", "18446744073709551617", "%C2%B9", "%FF"]) {
      assertRefused(await api.get(`${path}/${id}`), "not_found");
    }
  }
});

Deno.test("spec 4.1: a query on a path that has none changes nothing", async () => {
  for (const target of ["/v1/_ping?x=1", "/v1/_ping?", "/v1/currencies?limit=0&limit=x"]) {
    const call = { method: "GET", target, timestamp: timestampOf(gateway.clock) };
    assert.equal((await rawSigned(gateway.url, { credentials, call })).status, 200, target);
  }
});

Deno.test("contract 1: a wrong method on an unknown path is 404, not 405", async () => {
  const reply = await api.send({ method: "PATCH", target: "/v1/nowhere" });
  assertRefused(reply, "not_found");
  assert.equal(reply.headers.get("allow"), null);
});
