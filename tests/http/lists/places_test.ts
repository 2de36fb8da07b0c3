import assert from "node:assert/strict";
import { z } from "zod";
import type { Deps } from "../../../src/deps/deps.ts";
import { createGatewayMetrics } from "../../../src/upkeep/metrics.ts";
import { inParts } from "../../../src/base/net/streamed.ts";
import { nextTurn } from "../../../src/base/waiting/next_turn.ts";
import { type Place, Shares } from "../../../src/base/waiting/shares.ts";
import { csvShares, listShares, REQUESTS_OF_KEY_MAX } from "../../../src/domain/shares.ts";
import { createApp } from "../../../src/http/app.ts";
import { strict } from "../../../src/http/endpoint.ts";
import { ok } from "../../../src/http/reply.ts";
import { signedHeaders } from "../../support/api_client.ts";
import { makeInvoice } from "../../support/checkout/invoices.ts";
import { enable, makeNetwork } from "../../support/gateway.ts";
import {
  DEAD_NODE,
  makeClockedMerchant,
  startClockedGateway,
  timestampOf,
} from "../clocked_gateway.ts";
import { assertRefused } from "../withdrawals/refusals.ts";

// Nobody waits in vain, however slow this machine is.
const shares = new Shares({ atOnce: 1, waitMaxMs: 600_000, slowAfterMs: 250 });
const withShares = (deps: Deps) => ({ ...deps, memory: { ...deps.memory, shares } });
const gateway = await startClockedGateway({}, withShares);
Deno.test.afterAll(() => gateway.stop());
const { deps, clock, url } = gateway;
const network = await makeNetwork(deps, { rpcUrls: [DEAD_NODE] });

const IN_PROGRESS = 16;
const WAITING = 48;
const LISTS = ["/v1/ledger", "/v1/transactions", "/v1/deposits", "/v1/invoices", "/v1/events"];
/** Four bytes each. */
const LONGEST = "\u{1F4B0}".repeat(250);
const METADATA = Object.fromEntries(
  Array.from({ length: 20 }, (_, i) => [`${i} ${LONGEST}`, LONGEST]),
);

async function makeKey() {
  const merchant = await makeClockedMerchant(gateway);
  await enable(deps, { accountId: merchant.accountId, network, currency: "ETH" });
  const { accountId, credentials } = merchant;
  return { ...merchant, key: { accountId, keyId: credentials.keyId } };
}

function ask({ credentials }: Awaited<ReturnType<typeof makeKey>>, target: string, method = "GET") {
  const timestamp = timestampOf(clock);
  const headers = signedHeaders(credentials, { method, target, timestamp });
  return fetch(url + target, { method, headers });
}

Deno.test("contract 1: a key has 16 lists in progress, 48 wait, more get a 429 at once, and orders pass", async () => {
  const merchant = await makeKey();
  const { api, key } = merchant;
  const asking = Array.from(
    { length: IN_PROGRESS + WAITING },
    () => shares.enter(listShares(key)),
  );
  const held: Place[] = await Promise.all(asking.slice(0, IN_PROGRESS));
  for (const target of LISTS) {
    const refused = await api.get(target);
    assertRefused(refused, "rate_limited");
    assert.equal(refused.headers.get("retry-after"), "1");
    const csv = await api.send({ method: "GET", target, headers: { accept: "text/csv" } });
    assert.equal(csv.status, 429);
  }
  assert.equal((await api.get("/v1/_ping")).status, 200);
  assert.equal((await api.get("/v1/balances")).status, 200);
  const order = { network: "ETH", currency: "ETH", user_identifier: "ann" };
  assert.equal((await api.post("/v1/deposit-addresses", order)).status, 200);
  for (const place of held) place.leave();
  await Promise.all(asking.slice(IN_PROGRESS).map(async (place) => (await place).leave()));
  for (const target of LISTS) assert.equal((await api.get(target)).status, 200);
});

Deno.test("contract 1: other accounts' lists have places of their own, and a CSV is one of the key's", async () => {
  const [merchant, other] = [await makeKey(), await makeKey()];
  const csv = await shares.enter(csvShares(merchant.key));
  const more = await Promise.all(
    Array.from({ length: IN_PROGRESS - 1 }, () => shares.enter(listShares(merchant.key))),
  );
  let isAnswered = false;
  const own = merchant.api.get("/v1/ledger").finally(() => isAnswered = true);
  assert.equal((await other.api.get("/v1/ledger")).status, 200);
  assert.equal(isAnswered, false);
  csv.leave();
  assert.equal((await own).status, 200);
  for (const place of more) place.leave();
});

Deno.test("contract 1: a key has 256 requests in progress, and the next is a 429 at once", async () => {
  const [merchant, other] = [await makeKey(), await makeKey()];
  const answered = Promise.withResolvers<void>();
  let begun = 0;
  const slow = strict({
    ...{ method: "GET", path: "/v1/slow", operationId: "slow", permission: "read_balance" },
    ...{ tag: "Tests", summary: "", description: "", data: z.unknown(), refusals: [] },
    example: { data: {} },
    handle: () => async (c) => {
      begun++;
      await answered.promise;
      return ok(c, {});
    },
  });
  const metrics = createGatewayMetrics();
  const limits = { trustedProxies: [], bodyTimeoutMs: 20_000, authFailuresPerMinute: 100 };
  const app = createApp({ deps, metrics, ...limits }, [slow]);
  const send = async ({ credentials }: typeof merchant) => {
    const timestamp = timestampOf(clock);
    const headers = signedHeaders(credentials, { method: "GET", target: "/v1/slow", timestamp });
    const request = new Request("http://gateway/v1/slow", { headers });
    return await app.fetch(request, { remoteIp: "127.0.0.1" });
  };
  const all = Array.from({ length: REQUESTS_OF_KEY_MAX }, () => send(merchant));
  while (begun < REQUESTS_OF_KEY_MAX) await nextTurn();
  const refused = await send(merchant);
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "1"]);
  all.push(send(other));
  while (begun <= REQUESTS_OF_KEY_MAX) await nextTurn();
  answered.resolve();
  const statuses = new Set((await Promise.all(all)).map(({ status }) => status));
  assert.deepEqual(statuses, new Set([200]));
  assert.equal((await send(merchant)).status, 200);
});

Deno.test("a page of the largest invoices ends early, and its cursor leads through all of them", async () => {
  const merchant = await makeKey();
  const { accountId, api } = merchant;
  const ids: number[] = [];
  for (let i = 0; i < 70; i++) {
    ids.push((await makeInvoice(deps, { accountId, details: { metadata: METADATA } })).id);
  }
  const seen: number[] = [];
  for (let cursor = "";;) {
    const { status, body } = await api.get(`/v1/invoices?limit=200${cursor}`);
    assert.equal(status, 200);
    assert.ok(JSON.stringify(body).length < 2 ** 20, "A page is a megabyte at most");
    assert.equal(body.data_count, body.data.length);
    assert.equal(body.has_more, body.next_cursor !== null);
    seen.push(...body.data.map(({ invoice_id: id }: { invoice_id: number }) => id));
    if (!body.has_more) break;
    assert.ok(body.data_count < ids.length);
    cursor = `&cursor=${body.next_cursor}`;
  }
  assert.deepEqual(seen, ids.toReversed());
});

Deno.test("a question for a list's headers alone keeps no place", async () => {
  const merchant = await makeKey();
  for (let i = 0; i <= IN_PROGRESS + WAITING; i++) {
    const reply = await ask(merchant, "/v1/ledger", "HEAD");
    assert.deepEqual([reply.status, await reply.text()], [200, ""]);
  }
});

Deno.test("a large answer is handed over in parts, and over when it is read or given up, once", async () => {
  const body = crypto.getRandomValues(new Uint8Array(2 ** 16)).toBase64();
  const bytes = new TextEncoder().encode(body.repeat(4));
  let ends = 0;
  const make = (part = bytes) => inParts(part, { headers: new Headers() }, () => void ends++);
  const read = make();
  assert.equal(read.headers.get("content-length"), String(bytes.length));
  assert.equal(ends, 0);
  assert.deepEqual(new Uint8Array(await read.arrayBuffer()), bytes);
  assert.equal(ends, 1);
  const reader = make().body!.getReader();
  await reader.read();
  assert.equal(ends, 1);
  await reader.cancel();
  assert.equal(ends, 2);
  make(bytes.subarray(0, 100));
  assert.equal(ends, 3);
});
