import assert from "node:assert/strict";
import { UsedSignatures } from "../../../src/store/tables/signatures.ts";
import { makeFilePlace } from "../../support/database/database.ts";
import { enable, makeMerchant, makeNetwork, startGateway } from "../../support/gateway.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { DEAD_NODE } from "../clocked_gateway.ts";

const place = await makeFilePlace();
const env = { ...place.env, CPG_WORKER: "false" };
Deno.test.afterAll(() => place.remove());

/** Limits the pages, which has the same effect on the engine as a full disk. */
Deno.test("on a full disk the API answers 503 with Retry-After and isn't ready, until there is room", async () => {
  await using gateway = await startGateway(env);
  const { deps, url } = gateway;
  await makeNetwork(deps, { rpcUrls: [DEAD_NODE] });
  const { api, accountId } = await makeMerchant(gateway);
  await enable(deps, { accountId, network: "ETH", currency: "ETH" });
  const limit = (pages: number) => deps.db.execute([{ sql: `PRAGMA max_page_count = ${pages}` }]);
  const ready = async () => {
    const reply = await fetch(`${url}/readyz`);
    const { ready, database } = await reply.json();
    return { status: reply.status, ready, database };
  };
  const allocate = (i: number) =>
    api.post("/v1/deposit-addresses", { currency: "ETH", network: "ETH", user_identifier: `${i}` });
  assert.equal((await allocate(0)).status, 200);
  assert.deepEqual(await ready(), { status: 200, ready: true, database: "ok" });

  await limit(1);
  const before = (await api.get("/v1/balances")).status;
  let answered = 200;
  let i = 1;
  while (answered === 200 && i < 2_000) {
    const reply = await allocate(i++);
    answered = reply.status;
    if (answered !== 200) {
      assert.equal(reply.body.error.code, "unavailable");
      assert.ok(Number(reply.headers.get("retry-after")) >= 1);
    }
  }
  assert.equal(answered, 503);
  assert.equal((await api.get("/v1/balances")).status, before);
  for (const _ of [1, 2]) {
    assert.deepEqual(await ready(), { status: 503, ready: false, database: "takes no writes" });
  }

  await limit(1_000_000_000);
  assert.equal((await allocate(i)).status, 200);
  assert.deepEqual(await ready(), { status: 200, ready: true, database: "ok" });
});

Deno.test("when writes work again an idle gateway finds out by itself", async () => {
  await using gateway = await startGateway(env);
  const { db } = gateway.deps;
  const { api } = await makeMerchant(gateway);
  const limit = (pages: number) => db.execute([{ sql: `PRAGMA max_page_count = ${pages}` }]);
  await limit(1);
  const big = { currency: "ETH", network: "X".repeat(32), user_identifier: "x".repeat(256) };
  let status = 404;
  for (let i = 0; status === 404 && i < 2_000; i++) {
    status = (await api.post("/v1/deposit-addresses", { ...big, i })).status;
  }
  assert.equal(status, 503);
  assert.equal(await db.takesWrites(), false);
  await limit(1_000_000_000);
  await eventually(() => db.takesWrites(), { until: (takes) => takes });
  assert.deepEqual(await db.rows(UsedSignatures, "WHERE expires_at_ms = 0"), []);
});
