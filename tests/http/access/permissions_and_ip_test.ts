import assert from "node:assert/strict";
import { createApiKey } from "../../../src/access/manage_api_keys.ts";
import { type Permission, PERMISSIONS } from "../../../src/access/rules/permissions.ts";
import { ApiKeys } from "../../../src/access/tables/keys.ts";
import {
  clockedClient,
  DEAD_NODE,
  makeClockedMerchant,
  startClockedGateway,
} from "../clocked_gateway.ts";
import { assertInvalid, assertRefused } from "../withdrawals/refusals.ts";
import { enable, makeNetwork, type Merchant } from "../../support/gateway.ts";

const gateway = await startClockedGateway({ CPG_TRUSTED_PROXIES: "127.0.0.1" });
Deno.test.afterAll(() => gateway.stop());
await makeNetwork(gateway.deps, { rpcUrls: [DEAD_NODE] });

interface Row {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly target: string;
  readonly permission: Permission;
  /** The endpoint's own status for an empty account. */
  readonly otherwise: number;
}

const ENDPOINTS: readonly Row[] = [
  { method: "GET", target: "/v1/_ping", permission: "read_balance", otherwise: 200 },
  { method: "GET", target: "/v1/currencies", permission: "list_currencies", otherwise: 200 },
  { method: "GET", target: "/v1/balances", permission: "read_balance", otherwise: 200 },
  {
    method: "POST",
    target: "/v1/deposit-addresses",
    permission: "request_deposit_address",
    otherwise: 422,
  },
  {
    method: "GET",
    target: "/v1/deposit-requests/1",
    permission: "read_deposit_status",
    otherwise: 404,
  },
  { method: "POST", target: "/v1/withdrawals", permission: "withdraw", otherwise: 422 },
  {
    method: "GET",
    target: "/v1/withdrawals/1",
    permission: "read_withdrawal_status",
    otherwise: 404,
  },
  { method: "GET", target: "/v1/transactions", permission: "list_transactions", otherwise: 200 },
  {
    method: "GET",
    target: "/v1/hot-wallet-address?network=ETH",
    permission: "request_withdrawal_funding_address",
    otherwise: 404,
  },
  { method: "POST", target: "/v1/webhooks", permission: "manage_webhooks", otherwise: 422 },
  { method: "GET", target: "/v1/webhooks", permission: "manage_webhooks", otherwise: 200 },
  { method: "GET", target: "/v1/webhooks/1", permission: "manage_webhooks", otherwise: 404 },
  { method: "PATCH", target: "/v1/webhooks/1", permission: "manage_webhooks", otherwise: 404 },
  { method: "DELETE", target: "/v1/webhooks/1", permission: "manage_webhooks", otherwise: 404 },
  {
    method: "POST",
    target: "/v1/webhooks/1/rotate",
    permission: "manage_webhooks",
    otherwise: 404,
  },
  { method: "POST", target: "/v1/webhooks/1/test", permission: "manage_webhooks", otherwise: 404 },
  { method: "GET", target: "/v1/events", permission: "manage_webhooks", otherwise: 200 },
  { method: "GET", target: "/v1/events/evt_1", permission: "manage_webhooks", otherwise: 404 },
  {
    method: "POST",
    target: "/v1/events/evt_1/redeliver",
    permission: "manage_webhooks",
    otherwise: 404,
  },
];

function ask({ api }: Merchant, { method, target }: Row) {
  return api.send({ method, target, ...method === "POST" ? { body: "{}" } : {} });
}

for (const row of ENDPOINTS) {
  const { method, target, permission, otherwise } = row;
  Deno.test(`spec 5.3, contract 1: without ${permission} a key gets 403 from ${method} ${target}`, async () => {
    const permissions = PERMISSIONS.filter((name) => name !== permission);
    const merchant = await makeClockedMerchant(gateway, { permissions });
    const message = `Missing permission: ${permission}`;
    assertRefused(await ask(merchant, row), "permission_denied", message);
  });

  Deno.test(`spec 4: ${permission} is all that ${method} ${target} asks of a key`, async () => {
    const merchant = await makeClockedMerchant(gateway, { permissions: [permission] });
    assert.equal((await ask(merchant, row)).status, otherwise);
  });
}

Deno.test("a key from before manage_webhooks existed, made with all permissions, gains nothing", async () => {
  const permissions = PERMISSIONS.filter((name) => name !== "manage_webhooks");
  const merchant = await makeClockedMerchant(gateway, { permissions });
  const row = await gateway.deps.db.find(ApiKeys, [merchant.credentials.keyId]);
  assert.deepEqual(row?.permissions, permissions);
  for (const endpoint of ENDPOINTS) {
    const isNew = endpoint.permission === "manage_webhooks";
    assert.equal((await ask(merchant, endpoint)).status, isNew ? 403 : endpoint.otherwise);
  }
});

Deno.test("spec 5.3: a key without any permission gets 403 from every endpoint", async () => {
  const merchant = await makeClockedMerchant(gateway, { permissions: [] });
  for (const row of ENDPOINTS) {
    const message = `Missing permission: ${row.permission}`;
    assertRefused(await ask(merchant, row), "permission_denied", message);
  }
});

Deno.test("spec 2.1: permissions belong to the key: two keys of one account may do different things", async () => {
  const reader = await makeClockedMerchant(gateway, { permissions: ["list_currencies"] });
  const made = await createApiKey(gateway.deps, {
    accountId: reader.accountId,
    label: "withdraws",
    permissions: ["withdraw"],
    ipList: [],
    rateLimit: 100,
    actor: "test",
  });
  const credentials = { keyId: made.row.keyId, secret: made.secret };
  const payer = clockedClient(gateway, credentials);
  const withdraw = "Missing permission: withdraw";
  assertRefused(await reader.api.post("/v1/withdrawals", {}), "permission_denied", withdraw);
  assertInvalid(await payer.post("/v1/withdrawals", {}), [
    "currency",
    "network",
    "to_address",
    "amount",
  ]);
  const list = "Missing permission: list_currencies";
  assertRefused(await payer.get("/v1/currencies"), "permission_denied", list);
  assert.equal((await reader.api.get("/v1/currencies")).status, 200);
});

Deno.test("spec 5.3: a key without permission is refused before anything happens", async () => {
  const merchant = await makeClockedMerchant(gateway, {
    permissions: PERMISSIONS.filter((name) => name !== "request_deposit_address"),
  });
  const { accountId } = merchant;
  await enable(gateway.deps, { accountId, network: "ETH", currency: "ETH" });
  const body = { currency: "ETH", network: "ETH" };
  assert.equal((await merchant.api.post("/v1/deposit-addresses", body)).status, 403);
  const [row] = await gateway.deps.db.query(
    "SELECT count(*) AS n FROM addresses WHERE account_id = ? AND purpose = 'deposit'",
    [accountId],
  );
  assert.equal(Number(row!.n), 0);
});

const FROM: readonly { list: string[]; allowed: string[]; refused: string[] }[] = [
  {
    list: ["203.0.113.7"],
    allowed: ["203.0.113.7", "::ffff:203.0.113.7"],
    refused: ["203.0.113.8", "203.0.113.70", "127.0.0.1", "2001:db8::1"],
  },
  {
    list: ["10.0.0.0/8", "192.168.16.0/20"],
    allowed: ["10.0.0.1", "10.255.255.255", "192.168.16.0", "192.168.31.255"],
    refused: ["11.0.0.1", "9.255.255.255", "192.168.32.0", "192.168.15.255"],
  },
  {
    list: ["2001:db8::7", "2001:db8:aa00::/39"],
    allowed: ["2001:db8::7", "2001:0DB8:0:0:0:0:0:7", "2001:db8:aa00::1", "2001:db8:abff::1"],
    refused: ["2001:db8::8", "2001:db8:ac00::1", "0.0.0.7", "10.0.0.1"],
  },
  { list: ["0.0.0.0/0"], allowed: ["203.0.113.7", "8.8.8.8"], refused: ["2001:db8::1"] },
  {
    list: ["198.51.100.1/32", "::1/128"],
    allowed: ["198.51.100.1", "::1"],
    refused: ["198.51.100.0", "198.51.100.2", "::2", "::"],
  },
];

for (const { list, allowed, refused } of FROM) {
  Deno.test(`spec 5.3: a key with the IP whitelist ${list.join(", ")} gets 403 from other source IPs`, async () => {
    const { api } = await makeClockedMerchant(gateway, { ipList: list });
    const from = (ip: string) =>
      api.send({ method: "GET", target: "/v1/_ping", headers: { "X-Forwarded-For": ip } });
    for (const ip of allowed) assert.equal((await from(ip)).status, 200, ip);
    for (const ip of refused) assertRefused(await from(ip), "ip_not_allowed");
  });
}

Deno.test("spec 8: without an IP whitelist a key may be used from anywhere", async () => {
  const { api } = await makeClockedMerchant(gateway, { ipList: [] });
  for (const ip of ["203.0.113.7", "2001:db8::1"]) {
    const call = { method: "GET", target: "/v1/_ping", headers: { "X-Forwarded-For": ip } };
    assert.equal((await api.send(call)).status, 200);
  }
});
