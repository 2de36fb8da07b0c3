import assert from "node:assert/strict";
import { setCurrency } from "../../src/networks/currencies.ts";
import { setNetwork } from "../../src/networks/set.ts";
import { enable, makeNetwork, makeToken } from "../support/gateway.ts";
import { DEAD_NODE, makeClockedMerchant, startClockedGateway } from "./clocked_gateway.ts";
import { assertInvalid, assertRefused } from "./withdrawals/refusals.ts";
import { countRows } from "./rows.ts";

const gateway = await startClockedGateway();
Deno.test.afterAll(() => gateway.stop());
const { deps, clock } = gateway;
const CONTRACT = "0xdAC17F958D2ee523a2206206994597C13D831ec7";
const TARGET = "/v1/deposit-addresses";
for (const [code, chainId] of [["ETH", "1"], ["BSC", "56"], ["OFF", "57"]] as const) {
  await makeNetwork(deps, { code, rpcUrls: [DEAD_NODE], chainId });
  await makeToken(deps, { network: code, contract: CONTRACT });
}
await setNetwork(deps, { code: "OFF", change: { isActive: false }, actor: "test" });
await makeToken(deps, { network: "ETH", contract: `0x${"5".repeat(40)}`, symbol: "GONE" });
const gone = { network: "ETH", symbol: "GONE", change: { isActive: false }, actor: "test" };
await setCurrency(deps, gone);

async function makeEnabled() {
  const merchant = await makeClockedMerchant(gateway);
  const { accountId, api } = merchant;
  for (const network of ["ETH", "BSC", "OFF"]) {
    for (const currency of ["ETH", "USDT"]) await enable(deps, { accountId, network, currency });
  }
  const allocate = async (order: Record<string, unknown> = {}) => {
    const idempotency_key = crypto.randomUUID();
    const body = { currency: "ETH", network: "ETH", idempotency_key, ...order };
    const reply = await api.post(TARGET, body);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body.data;
  };
  return { ...merchant, allocate };
}

Deno.test("spec 4.4: a pool allocation has all fields, user_identifier null and a window of 3 hours", async () => {
  const { api } = await makeEnabled();
  const { status, body } = await api.post(TARGET, { currency: "ETH", network: "ETH" });
  assert.equal(status, 200);
  const { request_id, address, ...rest } = body.data;
  assert.ok(Number.isSafeInteger(request_id));
  assert.match(address, /^0x[0-9a-fA-F]{40}$/);
  assert.deepEqual(rest, {
    network: "ETH",
    currency: "ETH",
    contract_address: null,
    user_identifier: null,
    created_at: "2026-01-31T12:00:00+00:00",
    display_expires_at: "2026-01-31T15:00:00+00:00",
  });
});

Deno.test("spec 4.4: a token's allocation has its contract_address, and repeats user_identifier", async () => {
  const { allocate } = await makeEnabled();
  const data = await allocate({ currency: "USDT", user_identifier: " Zoë 😀 #1 " });
  assert.equal(data.contract_address, CONTRACT);
  assert.equal(data.currency, "USDT");
  assert.equal(data.user_identifier, " Zoë 😀 #1 ");
});

Deno.test("contract 1: network and currency match in any case, and the response has the canonical code", async () => {
  const { allocate } = await makeEnabled();
  const { network, currency } = await allocate({ currency: "usDt", network: "bSc" });
  assert.deepEqual([network, currency], ["BSC", "USDT"]);
});

Deno.test("spec 4.4, contract 1: the same identifier always gets the same address, with a fresh window", async () => {
  const { allocate } = await makeEnabled();
  const first = await allocate({ user_identifier: "user-1" });
  clock.advance(86_400_000 * 30);
  const second = await allocate({ user_identifier: "user-1" });
  const token = await allocate({ user_identifier: "user-1", currency: "USDT" });
  assert.equal(second.address, first.address);
  assert.equal(token.address, first.address);
  assert.equal(new Set([first, second, token].map(({ request_id }) => request_id)).size, 3);
  assert.equal(Date.parse(second.created_at), clock.nowMs());
  assert.equal(Date.parse(second.display_expires_at), clock.nowMs() + 3 * 3_600_000);
});

Deno.test("contract 1: identifiers are compared as given, with case, white space and empty strings", async () => {
  const { allocate, accountId } = await makeEnabled();
  const names = ["user", "User", "user ", " user", "", " ", "0", "é", "e\u0301", "x".repeat(256)];
  const addresses = [];
  for (const user_identifier of names) {
    addresses.push((await allocate({ user_identifier })).address);
  }
  assert.equal(new Set(addresses).size, names.length);
  for (const [i, user_identifier] of names.entries()) {
    const again = await allocate({ user_identifier });
    assert.deepEqual([again.address, again.user_identifier], [addresses[i], user_identifier]);
  }
  const deposits = "addresses WHERE account_id = ? AND purpose = 'deposit'";
  assert.equal(await countRows(deps, deposits, [accountId]), names.length);
});

Deno.test("spec 4.4: sticky addresses are bound to (account, network, user_identifier)", async () => {
  const [one, two] = [await makeEnabled(), await makeEnabled()];
  const order = { user_identifier: "shared-name" };
  const addresses = [
    (await one.allocate(order)).address,
    (await two.allocate(order)).address,
    (await one.allocate({ ...order, network: "BSC" })).address,
  ];
  assert.equal(new Set(addresses).size, 3);
  assert.equal((await one.allocate({ ...order, network: "BSC" })).address, addresses[2]);
});

Deno.test("spec 4.4: many simultaneous first requests for one identifier get one address", async () => {
  const { allocate, accountId } = await makeEnabled();
  const given = await Promise.all(
    Array.from({ length: 25 }, () => allocate({ user_identifier: "rush" })),
  );
  assert.equal(new Set(given.map(({ address }) => address)).size, 1);
  assert.equal(new Set(given.map(({ request_id }) => request_id)).size, 25);
  assert.equal(await countRows(deps, "addresses WHERE user_identifier = 'rush'"), 1);
  assert.equal(await countRows(deps, "deposit_requests WHERE account_id = ?", [accountId]), 25);
});

Deno.test("spec 4.4: without user_identifier a fresh pool address is allocated each time", async () => {
  const { allocate } = await makeEnabled();
  const given = await Promise.all(Array.from({ length: 25 }, () => allocate()));
  assert.equal(new Set(given.map(({ address }) => address)).size, 25);
});

Deno.test("spec 7: missing or empty currency or network is 422 listing the offending fields", async () => {
  const { api } = await makeEnabled();
  const post = (body: unknown) => api.post(TARGET, body);
  assertInvalid(await post({}), ["currency", "network"]);
  assertInvalid(await post({ currency: "ETH" }), ["network"]);
  assertInvalid(await post({ network: "ETH" }), ["currency"]);
  assertInvalid(await post({ currency: "", network: "" }), ["currency", "network"]);
  assertInvalid(
    await post({
      currency: "ETH",
      network: "ETH",
      user_identifier: "x".repeat(257),
      idempotency_key: "x".repeat(129),
    }),
    ["user_identifier", "idempotency_key"],
  );
});

Deno.test('spec 7: an unknown or inactive network is 404 "Network not found"', async () => {
  const { api } = await makeEnabled();
  for (const network of ["nowhere", "OFF", " ETH", "ETH ", "E%"]) {
    assertRefused(await api.post(TARGET, { currency: "ETH", network }), "network_not_found");
  }
});

Deno.test('spec 7: an unknown or inactive symbol on the network is 404 "Currency not found"', async () => {
  const { api } = await makeEnabled();
  for (const currency of ["NOPE", "GONE", "ETH ", CONTRACT.slice(0, 32)]) {
    assertRefused(await api.post(TARGET, { currency, network: "ETH" }), "currency_not_found");
  }
  assertRefused(await api.post(TARGET, { currency: "GONE", network: "BSC" }), "currency_not_found");
});

Deno.test("spec 7: a currency whose deposits aren't enabled is 403 with the spec's message", async () => {
  const { api, accountId } = await makeClockedMerchant(gateway);
  const body = { currency: "USDT", network: "ETH" };
  assertRefused(await api.post(TARGET, body), "deposits_disabled");
  const switches = { accountId, network: "ETH", currency: "USDT" };
  await enable(deps, { ...switches, deposit: false, withdrawal: true });
  assertRefused(await api.post(TARGET, { ...body, x: 1 }), "deposits_disabled");
  const sticky = { ...body, user_identifier: "u" };
  assertRefused(await api.post(TARGET, sticky), "deposits_disabled");
  await enable(deps, { ...switches, deposit: true, withdrawal: false });
  assert.equal((await api.post(TARGET, { ...body, x: 2 })).status, 200);
  await enable(deps, { ...switches, deposit: false });
  assertRefused(await api.post(TARGET, { ...body, x: 3 }), "deposits_disabled");
  const old = { ...body, user_identifier: "known", x: 4 };
  assertRefused(await api.post(TARGET, old), "deposits_disabled");
});

Deno.test("contract 1: a sticky address of a currency that was switched off since is 403", async () => {
  const { api, accountId, allocate } = await makeEnabled();
  await allocate({ user_identifier: "known" });
  await enable(deps, { accountId, network: "ETH", currency: "ETH", deposit: false });
  const body = { currency: "ETH", network: "ETH", user_identifier: "known" };
  assertRefused(await api.post(TARGET, body), "deposits_disabled");
});

Deno.test("contract 1: the checks come in order: schema 422, network 404, currency 404, enabled 403", async () => {
  const { api } = await makeClockedMerchant(gateway);
  const post = (body: Record<string, unknown>) => api.post(TARGET, body);
  assertInvalid(await post({ currency: "", network: "nowhere" }), ["currency"]);
  assertRefused(await post({ currency: "NOPE", network: "nowhere" }), "network_not_found");
  assertRefused(await post({ currency: "NOPE", network: "OFF" }), "network_not_found");
  assertRefused(await post({ currency: "NOPE", network: "ETH" }), "currency_not_found");
  assertRefused(await post({ currency: "GONE", network: "ETH" }), "currency_not_found");
  assertRefused(await post({ currency: "ETH", network: "ETH" }), "deposits_disabled");
});

Deno.test("spec 4.4: a refused request allocates nothing", async () => {
  const { api, accountId } = await makeClockedMerchant(gateway);
  for (const currency of ["NOPE", "ETH"]) await api.post(TARGET, { currency, network: "ETH" });
  assert.equal(await countRows(deps, "addresses WHERE account_id = ?", [accountId]), 0);
  assert.equal(await countRows(deps, "deposit_requests WHERE account_id = ?", [accountId]), 0);
});

Deno.test("contract 2: text that couldn't be returned as it came is 422 naming its field", async () => {
  const { api } = await makeEnabled();
  for (const odd of ["a\\u0000b", "\\ud800", "\\udc00x"]) {
    const body = `{"currency":"ETH","network":"ETH","user_identifier":"${odd}"}`;
    assertInvalid(await api.post(TARGET, body), ["user_identifier"]);
    const key = `{"currency":"ETH","network":"ETH","idempotency_key":"${odd}"}`;
    assertInvalid(await api.post(TARGET, key), ["idempotency_key"]);
  }
});
