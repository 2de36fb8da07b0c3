import assert from "node:assert/strict";
import { createApiKey } from "../../../src/access/manage_api_keys.ts";
import { keepRequests } from "../../../src/request_log/keep_requests.ts";
import { utf8 } from "../../../src/base/bytes.ts";
import type { Permission } from "../../../src/access/rules/permissions.ts";
import { UsedSignatures } from "../../../src/store/tables/signatures.ts";
import type { ApiReply } from "../../support/api_client.ts";
import { enable, makeNetwork } from "../../support/gateway.ts";
import {
  clockedClient,
  type ClockedGateway,
  DEAD_NODE,
  makeClockedMerchant,
  startClockedGateway,
} from "../clocked_gateway.ts";

const ETH = { network: "ETH", currency: "ETH" };
const HOUR_MS = 3_600_000;
const MB = 1_000_000;
const WRONG = { "X-CPG-Signature": "0".repeat(64) };

const order = (i: number) => ({ ...ETH, to_address: `0x${"b0".repeat(20)}`, amount: `${i + 1}` });

async function makeKey(
  gateway: ClockedGateway,
  { accountId, permissions }: { accountId: number; permissions: readonly Permission[] },
) {
  const asked = { accountId, permissions, label: "x", ipList: [], rateLimit: 1_000_000 };
  const { row: { keyId }, secret } = await createApiKey(gateway.deps, { ...asked, actor: "cli" });
  return clockedClient(gateway, { keyId, secret });
}

Deno.test("contract 1: rejected requests and strangers with a known key id write 4 MB an hour at most", async () => {
  await using gateway = await startClockedGateway();
  const { deps, clock } = gateway;
  const { requests } = deps.memory;
  const kept = async () => {
    const [row] = await deps.db.query(
      `SELECT coalesce(sum(length(CAST(path || query || message || coalesce(canonical, '') ||
        coalesce(body, '') AS BLOB))), 0) AS bytes FROM request_log`,
    );
    return Number(row!.bytes);
  };
  const flood = async (isProven: boolean) => {
    for (let accountId = 1; accountId <= 60; accountId++) {
      for (let i = 0; i < 40; i++) {
        const text = "注".repeat(2_048);
        const described = {
          ...{ target: `/v1/x?${"q".repeat(1_000)}`, status: 401, code: "c", message: text },
          ...{ reason: "r", ip: "192.0.2.1", requestId: "r", skewS: null, canonical: text },
          body: utf8("x".repeat(60_000)),
        };
        requests.rejected(
          { accountId, keyId: `k${accountId}`, route: "r", method: "GET", atMs: clock.nowMs() },
          { isProven, describe: () => described },
        );
        if (i % 20 === 19) await keepRequests(deps);
      }
    }
    await keepRequests(deps);
  };
  await flood(false);
  const byStrangers = await kept();
  assert.ok(byStrangers > MB && byStrangers < 2 * MB, `${byStrangers}`);
  await flood(true);
  const all = await kept();
  assert.ok(all > 1.5 * byStrangers && all < 4 * MB, `room for those with a signature: ${all}`);
  clock.advance(HOUR_MS);
  await flood(true);
  assert.ok(await kept() > all, "the next hour has its own");
});

Deno.test("contract 1: refused writes leave 600 signatures a minute, whatever the key's limit is", async () => {
  await using gateway = await startClockedGateway();
  const { deps } = gateway;
  await makeNetwork(deps, { rpcUrls: [DEAD_NODE] });
  const { api, accountId } = await makeClockedMerchant(gateway, { rateLimit: 1_000_000 });
  const other = await makeKey(gateway, { accountId, permissions: ["withdraw"] });
  await enable(deps, { accountId, ...ETH });
  const pay = (i: number) => api.post("/v1/withdrawals", order(i));
  const replies: ApiReply[] = [];
  for (let i = 0; i < 14; i++) {
    replies.push(...await Promise.all(Array.from({ length: 50 }, (_, k) => pay(i * 50 + k))));
  }
  const codes = Object.groupBy(replies, ({ body }) => body.error.code);
  assert.equal(codes.insufficient_balance?.length, 600);
  assert.equal(codes.rate_limited?.length, 100);
  assert.match(codes.rate_limited![0]!.headers.get("retry-after")!, /^[1-9]\d*$/);
  assert.equal((await deps.db.rows(UsedSignatures, "")).length, 600);
  assert.equal((await api.get("/v1/balances")).status, 200, "reads go on");
  const paid = await other.post("/v1/withdrawals", order(901));
  assert.equal(paid.body.error.code, "insufficient_balance", "another key has its own");
  gateway.clock.advance(1_000);
  assert.equal((await pay(900)).body.error.code, "insufficient_balance");
  const stranger = await api.send({ method: "GET", target: "/v1/_ping", headers: WRONG });
  assert.equal(stranger.status, 401);
});

Deno.test("contract 1: what is refused and leaves nothing stops no write, whichever key sent it", async () => {
  await using gateway = await startClockedGateway();
  const { deps } = gateway;
  await makeNetwork(deps, { rpcUrls: [DEAD_NODE] });
  const { api, accountId } = await makeClockedMerchant(gateway, { rateLimit: 1_000_000 });
  await enable(deps, { accountId, ...ETH });
  const reader = await makeKey(gateway, { accountId, permissions: ["read_balance"] });
  const flood = async (send: (i: number) => Promise<ApiReply>, code: string) => {
    for (let i = 0; i < 14; i++) {
      const sent = Array.from({ length: 50 }, (_, k) => send(i * 50 + k));
      for (const { body } of await Promise.all(sent)) assert.equal(body.error.code, code);
    }
  };
  await flood((i) => reader.post("/v1/withdrawals", order(i)), "permission_denied");
  await flood((i) => api.post("/v1/withdrawals", { amount: `${i}` }), "validation_failed");
  await flood((i) => api.post(`/v1/nowhere/${i}`, {}), "not_found");
  assert.equal((await deps.db.rows(UsedSignatures, "")).length, 0);
  assert.equal(
    (await api.post("/v1/withdrawals", order(1))).body.error.code,
    "insufficient_balance",
  );
  const asked = { ...ETH, user_identifier: "u" };
  assert.equal((await api.post("/v1/deposit-addresses", asked)).status, 200);
});
