import assert from "node:assert/strict";
import { createApiKey } from "../../src/access/manage_api_keys.ts";
import { PERMISSIONS } from "../../src/access/rules/permissions.ts";
import { enable, makeNetwork, makeToken } from "../support/gateway.ts";
import {
  clockedClient,
  DEAD_NODE,
  makeClockedMerchant,
  startClockedGateway,
  timestampOf,
} from "./clocked_gateway.ts";
import { assertInvalid, assertRefused } from "./withdrawals/refusals.ts";
import { countRows } from "./rows.ts";

const gateway = await startClockedGateway();
Deno.test.afterAll(() => gateway.stop());
const { deps, clock } = gateway;
const TARGET = "/v1/deposit-addresses";
const ORDER = { currency: "ETH", network: "ETH" };
for (const [code, chainId] of [["ETH", "1"], ["BSC", "56"]] as const) {
  await makeNetwork(deps, { code, rpcUrls: [DEAD_NODE], chainId });
  await makeToken(deps, { network: code, contract: "0xdAC17F958D2ee523a2206206994597C13D831ec7" });
}

async function makeEnabled() {
  const merchant = await makeClockedMerchant(gateway);
  const { accountId, api } = merchant;
  for (const network of ["ETH", "BSC"]) await enable(deps, { accountId, network, currency: "ETH" });
  const post = (order: Record<string, unknown>) => api.post(TARGET, { ...ORDER, ...order });
  const allocate = async (order: Record<string, unknown>) => {
    const reply = await post(order);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body.data;
  };
  const rows = async () => [
    await countRows(deps, "deposit_requests WHERE account_id = ?", [accountId]),
    await countRows(deps, "addresses WHERE account_id = ? AND purpose = 'deposit'", [accountId]),
  ];
  return { ...merchant, post, allocate, rows };
}

async function secondKey(accountId: number) {
  const { row, secret } = await createApiKey(deps, {
    accountId,
    label: "second",
    permissions: [...PERMISSIONS],
    ipList: [],
    rateLimit: 1000,
    actor: "test",
  });
  return clockedClient(gateway, { keyId: row.keyId, secret });
}

Deno.test("spec 4.4: a retry with the same key and idempotency_key returns the original allocation", async () => {
  const { allocate, rows } = await makeEnabled();
  const first = await allocate({ idempotency_key: "k" });
  clock.advance(1000);
  assert.deepEqual(await allocate({ idempotency_key: "k" }), first);
  clock.advance(30 * 86_400_000);
  assert.deepEqual(await allocate({ idempotency_key: "k" }), first);
  assert.deepEqual(await rows(), [1, 1]);
});

Deno.test("spec 4.4: on a retry the new request's currency and network are ignored, whatever they are", async () => {
  const { allocate, rows } = await makeEnabled();
  const first = await allocate({ idempotency_key: "k" });
  const others = [
    { network: "BSC" },
    { currency: "USDT" },
    { network: "nowhere" },
    { currency: "NOPE" },
    { user_identifier: "somebody" },
  ];
  for (const other of others) {
    assert.deepEqual(await allocate({ idempotency_key: "k", ...other }), first);
  }
  assert.deepEqual(await rows(), [1, 1]);
});

Deno.test("contract 1: a retry is answered even if the currency was switched off since", async () => {
  const { allocate, post, accountId } = await makeEnabled();
  const first = await allocate({ idempotency_key: "k" });
  await enable(deps, { accountId, network: "ETH", currency: "ETH", deposit: false });
  assert.deepEqual(await allocate({ idempotency_key: "k" }), first);
  assertRefused(await post({ idempotency_key: "other" }), "deposits_disabled");
});

Deno.test("contract 1: a malformed retry is 422: the schema comes before the replay", async () => {
  const { allocate, post } = await makeEnabled();
  await allocate({ idempotency_key: "k" });
  assertInvalid(await post({ idempotency_key: "k", currency: "" }), ["currency"]);
});

Deno.test("spec 4.4: an original whose address went to a later request is still the answer", async () => {
  const { allocate } = await makeEnabled();
  const first = await allocate({ idempotency_key: "k" });
  clock.advance(8 * 86_400_000);
  const later = await allocate({ idempotency_key: "later" });
  assert.equal(later.address, first.address);
  assert.deepEqual(await allocate({ idempotency_key: "k" }), first);
});

Deno.test("spec 4.4: the same key under a different API key allocates again", async () => {
  const { allocate, accountId } = await makeEnabled();
  const first = await allocate({ idempotency_key: "k" });
  const api = await secondKey(accountId);
  const second = await api.post(TARGET, { ...ORDER, idempotency_key: "k" });
  assert.equal(second.status, 200);
  assert.notEqual(second.body.data.request_id, first.request_id);
  assert.notEqual(second.body.data.address, first.address);
  const stranger = await makeEnabled();
  const third = await stranger.allocate({ idempotency_key: "k" });
  assert.notEqual(third.request_id, first.request_id);
});

Deno.test("contract 1: keys are texts as given, with empty keys, case and white space", async () => {
  const { allocate } = await makeEnabled();
  const keys = ["", " ", "k", "K", "k ", "0", "null", "x".repeat(128), "😀".repeat(128)];
  const firsts = [];
  for (const idempotency_key of keys) firsts.push(await allocate({ idempotency_key }));
  assert.equal(new Set(firsts.map(({ request_id }) => request_id)).size, keys.length);
  for (const [i, idempotency_key] of keys.entries()) {
    assert.deepEqual(await allocate({ idempotency_key, x: 1 }), firsts[i]);
  }
});

Deno.test("contract 1: of concurrent requests with one idempotency_key one creates, others replay", async () => {
  const { post, rows } = await makeEnabled();
  const replies = await Promise.all(
    Array.from({ length: 30 }, (_, i) => post({ idempotency_key: "rush", x: i })),
  );
  for (const reply of replies) {
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(reply.body, replies[0]!.body);
  }
  assert.deepEqual(await rows(), [1, 1]);
});

Deno.test("contract 1: many keys of many concurrent requests each have one allocation", async () => {
  const { post, rows } = await makeEnabled();
  const replies = await Promise.all(
    Array.from({ length: 60 }, (_, i) => post({ idempotency_key: `k${i % 12}`, x: i })),
  );
  const ids = replies.map(({ status, body }) => status === 200 ? body.data.request_id : status);
  assert.equal(new Set(ids).size, 12);
  ids.forEach((id, i) => assert.equal(id, ids[i % 12]));
  assert.deepEqual(await rows(), [12, 12]);
});

Deno.test("spec 4.4: a refused request leaves its key free", async () => {
  const { allocate, post, accountId } = await makeEnabled();
  assertRefused(await post({ currency: "USDT", idempotency_key: "k" }), "deposits_disabled");
  await enable(deps, { accountId, network: "ETH", currency: "USDT" });
  clock.advance(1000);
  assert.equal((await allocate({ currency: "USDT", idempotency_key: "k" })).currency, "USDT");
});

Deno.test("contract 1: an exact copy of a signed write with an idempotency key gets the replay", async () => {
  const { post, rows } = await makeEnabled();
  const first = await post({ idempotency_key: "k" });
  const copy = await post({ idempotency_key: "k" });
  assert.deepEqual([copy.status, copy.body], [200, first.body]);
  assert.deepEqual(await rows(), [1, 1]);
});

Deno.test("contract 1: an exact copy of a signed write without one is 401, in capitals too", async () => {
  const { post, api, rows } = await makeEnabled();
  assert.equal((await post({})).status, 200);
  assertRefused(await post({}), "replayed_request");
  const body = JSON.stringify(ORDER);
  const capitals = await api.send({ method: "POST", target: TARGET, body });
  assertRefused(capitals, "replayed_request");
  assert.deepEqual(await rows(), [1, 1]);
  clock.advance(1000);
  assert.equal((await post({})).status, 200);
});

Deno.test("contract 1: many simultaneous copies of one signed write are executed once", async () => {
  const { post, rows } = await makeEnabled();
  const replies = await Promise.all(Array.from({ length: 20 }, () => post({})));
  assert.equal(replies.filter(({ status }) => status === 200).length, 1);
  for (const reply of replies.filter(({ status }) => status !== 200)) {
    assertRefused(reply, "replayed_request");
  }
  assert.deepEqual(await rows(), [1, 1]);
});

for (const idempotency_key of [undefined, "k"]) {
  const how = idempotency_key ? "with an idempotency_key" : "without an idempotency_key";
  Deno.test(`contract 1: a copy of a write ${how} that was refused is never executed later`, async () => {
    const { post, accountId, rows } = await makeEnabled();
    const order = { currency: "USDT", idempotency_key };
    assertRefused(await post(order), "deposits_disabled");
    await enable(deps, { accountId, network: "ETH", currency: "USDT" });
    assertRefused(await post(order), "replayed_request");
    assert.deepEqual(await rows(), [0, 0]);
  });
}

Deno.test("contract 1: after a newly signed request made the allocation, a copy of the refused one replays", async () => {
  const { api, allocate, accountId, rows } = await makeEnabled();
  const order = { ...ORDER, currency: "USDT", idempotency_key: "k" };
  const body = JSON.stringify(order);
  const captured = { method: "POST", target: TARGET, body, timestamp: timestampOf(clock) };
  assertRefused(await api.send(captured), "deposits_disabled");
  await enable(deps, { accountId, network: "ETH", currency: "USDT" });
  clock.advance(1000);
  const made = await allocate(order);
  const copy = await api.send(captured);
  assert.deepEqual([copy.status, copy.body.data], [200, made]);
  assert.deepEqual(await rows(), [1, 1]);
});
