import assert from "node:assert/strict";
import { ENDPOINTS } from "../../../src/http/endpoints.ts";
import { GUEST_ROUTES, ROUTES } from "../../../src/dashboard/pages.ts";
import { signedHeaders } from "../../support/api_client.ts";
import { makeLogin } from "../../support/dashboard/dashboard.ts";
import { makeMerchant, startGateway } from "../../support/gateway.ts";
import { rawRequest } from "./raw_request.ts";
import { assertRefused } from "../withdrawals/refusals.ts";

const gateway = await startGateway({ CPG_WORKER: "false" });
const apart = await startGateway({ CPG_WORKER: "false", CPG_DASHBOARD_PORT: "0" });
Deno.test.afterAll(async () => {
  await gateway.stop();
  await apart.stop();
});
const { deps, url } = gateway;
const { credentials } = await makeMerchant(gateway);
const { token } = await makeLogin(deps);

/** Other spellings that a server which decodes or normalises would take for the path. */
function spellings(path: string): string[] {
  const at = path.lastIndexOf("/") + 1;
  const code = path.charCodeAt(at).toString(16);
  const encoded = `${path.slice(0, at)}%${code}${path.slice(at + 1)}`;
  return [
    encoded,
    `/${path.slice(1).replaceAll("/", "%2f")}`,
    `/${path}`,
    path.replace(/(?<=.)\//, "//"),
    `/.${path}`,
    `/x/..${path}`,
    `${path}/.`,
    `${path}/`,
    `${path}%20`,
    `${path}%00`,
    `${path};x`,
    path.replace("/v1", "/%76%31").replace("/dashboard", "/dashboar%64"),
  ].filter((other) => other !== path);
}

async function statusOf(path: string, { host = "x", method = "GET" } = {}): Promise<number> {
  const headers = [
    ...Object.entries(signedHeaders(credentials, { method, target: path })),
    ["Host", host] as const,
    ["Cookie", `cpg=${token}`] as const,
  ];
  return (await rawRequest(url, { method, target: path, headers })).status;
}

for (const path of ["/metrics", "/readyz", "/healthz"]) {
  Deno.test(`${path} has one spelling`, async () => {
    assert.equal(await statusOf(path), 200);
    for (const other of spellings(path)) assert.equal(await statusOf(other), 404, other);
  });
}

Deno.test("every endpoint of the API has one spelling, numbers included", async () => {
  for (const { method, path } of ENDPOINTS) {
    const target = path.replace(/\{\w+\}/, "1");
    for (const other of spellings(target)) {
      const status = await statusOf(other, { method });
      // Another word would be a record's id, and a record's path takes no POST.
      const isOther = method === "POST" &&
        /^\/v1\/(withdrawals|webhooks|invoices|payment-links)\/[^/%]+$/.test(other);
      assert.equal(status, isOther ? 405 : 404, `${method} ${other}`);
    }
  }
  assert.equal(await statusOf("/v1/withdrawals/%31"), 404);
});

Deno.test("every page of the dashboard has one spelling", async () => {
  const paths = [...GUEST_ROUTES, ...ROUTES]
    .filter(({ kind, path }) => kind === "page" && path !== "/" && !path.includes(":"))
    .map(({ path }) => `/dashboard${path}`);
  for (const path of ["/dashboard", "/dashboard/networks/ETH%25", ...paths]) {
    assert.ok(await statusOf("/dashboard") === 200);
    for (const other of spellings(path)) {
      const isShort = other === "/dashboard/";
      assert.equal(await statusOf(other), isShort ? 308 : 404, other);
    }
  }
});

Deno.test("names in a page's path can be encoded in one way only", async () => {
  const codeOf = async (path: string) => {
    const { headers, body } = await rawRequest(url, {
      method: "GET",
      target: path,
      headers: [["Cookie", `cpg=${token}`]],
    });
    return headers.get("content-type")?.startsWith("text/html") && body.includes("No such page");
  };
  assert.equal(await statusOf("/dashboard/accounts/%31"), 404);
  assert.ok(await codeOf("/dashboard/networks/%45TH"));
});

const HOSTS = [
  "a/dashboard/sign-in?",
  "a/v1/_ping?",
  "a/metrics#",
  "a@b",
  "a\\b",
  "a b",
  "a,b",
  "é",
  "127.0.0.0.1",
  "256.1.1.1",
  "a:99999",
  "[::1",
];

for (const host of HOSTS) {
  Deno.test(`the Host ${host} is refused with 400 on every listener, whatever the path`, async () => {
    const own = new URL(apart.serving.dashboardUrl!).origin;
    for (const target of ["/v1/_ping", "/metrics", "/dashboard/sign-in", "/"]) {
      const headers = [["Host", host], ["Cookie", `cpg=${token}`]] as const;
      const reply = await rawRequest(url, { method: "GET", target, headers });
      assert.equal(reply.status, 400, target);
      if (reply.headers.has("x-request-id")) assertRefused(reply, "invalid_host");
      const beside = await rawRequest(own, { method: "GET", target, headers });
      assert.equal(beside.status, 400, target);
      assert.equal(beside.headers.get("set-cookie"), null);
    }
  });
}
