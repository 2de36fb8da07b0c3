import assert from "node:assert/strict";
import { createApiKey, revokeApiKey } from "../../../src/access/manage_api_keys.ts";
import { setApiKey } from "../../../src/access/set_api_key.ts";
import { apiClient } from "../../support/api_client.ts";
import { makeMerchant, startGateway } from "../../support/gateway.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { makeCli, type TestCli } from "../cli_host.ts";

async function makeKey(cli: TestCli) {
  await cli.json("account", "create", "--name", "Acme");
  const { secret: _, ...key } = await cli.json(
    ...["key", "create", "--account", "1", "--label", "shop", "--permissions", "all"],
  );
  return key;
}

Deno.test("key set changes what is named, and nothing else, and the log has both terms", async () => {
  await using cli = await makeCli();
  const before = await makeKey(cli);
  const set = (...words: string[]) => cli.json("key", "set", before.key_id, ...words);
  assert.deepEqual(await set("--label", "payouts"), { ...before, label: "payouts" });
  const [row] = await cli.json("audit", "list", "--subject", `key:${before.key_id}`);
  assert.deepEqual([row.actor, row.action], ["cli", "key.changed"]);
  assert.deepEqual([row.detail.before.label, row.detail.after.label], ["shop", "payouts"]);
  const narrow = await set(
    "--permissions",
    "read_balance",
    "--ip",
    "10.0.0.0/8",
    "--rate-limit",
    "5",
  );
  assert.deepEqual(narrow, {
    ...before,
    ...{ label: "payouts", permissions: ["read_balance"], ip_whitelist: ["10.0.0.0/8"] },
    rate_limit: 5,
  });
  assert.deepEqual((await set("--ip", "any")).ip_whitelist, []);
});

Deno.test("key set refuses an unknown key, a revoked one, and a change of nothing", async () => {
  await using cli = await makeCli();
  const { key_id: keyId } = await makeKey(cli);
  assert.match(await cli.fails(2, "key", "set", keyId), /^key set: nothing to change/);
  assert.match(
    await cli.fails(2, "key", "set", keyId, "--ip", "here"),
    /is not any or a list of IP/,
  );
  assert.match(await cli.fails(1, "key", "set", "cpg_none", "--label", "x"), /^There is no key/);
  await cli.json("key", "revoke", keyId);
  assert.match(
    await cli.fails(1, "key", "set", keyId, "--label", "x"),
    /is revoked, and a revoked key can't be changed$/,
  );
});

Deno.test("a changed key counts beside a running server within a second", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { api, credentials: { keyId } } = await makeMerchant(gateway);
  assert.equal((await api.get("/v1/balances")).status, 200);
  const change = { permissions: ["withdraw"] } as const;
  await setApiKey(gateway.deps, { keyId, change, actor: "test" });
  await eventually(() => api.get("/v1/balances"), { until: ({ status }) => status === 403 });
});

Deno.test("an old row with more permissions that is put back opens nothing, until it is set again", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps, url } = gateway;
  const { api, credentials: { keyId } } = await makeMerchant(gateway);
  const sql = (...texts: string[]) => deps.db.execute(texts.map((text) => ({ sql: text })));
  await sql("CREATE TABLE thief AS SELECT * FROM api_keys");
  await setApiKey(deps, { keyId, change: { permissions: ["read_balance"] }, actor: "test" });
  assert.equal((await api.get("/v1/balances")).status, 200);
  await sql(
    "PRAGMA foreign_keys = OFF",
    "UPDATE api_keys SET (permissions, seal) = (SELECT permissions, seal FROM thief)",
    "UPDATE write_clock SET config_version = config_version + 1",
  );
  await eventually(() => api.get("/v1/balances"), { until: ({ status }) => status === 401 });
  const { permissions } = await setApiKey(deps, { keyId, change: { rateLimit: 9 }, actor: "test" });
  assert.deepEqual(permissions, ["read_balance"], "it begins with what the log says");
  await eventually(() => api.get("/v1/balances"), { until: ({ status }) => status === 200 });
  assert.equal((await apiClient(url, { keyId, secret: "x" }).get("/v1/balances")).status, 401);
});

Deno.test("an old row that is put back while a key is being changed isn't sealed anew", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps } = gateway;
  const { credentials: { keyId } } = await makeMerchant(gateway);
  const sql = (text: string) => deps.db.execute([{ sql: text }]);
  await sql("CREATE TABLE thief AS SELECT * FROM api_keys");
  await setApiKey(deps, { keyId, change: { permissions: ["read_balance"] }, actor: "test" });
  let isThere = true;
  const db = Object.create(deps.db, {
    // The last that is read before the change.
    rows: {
      value: async (...asked: Parameters<typeof deps.db.rows>) => {
        const found = await deps.db.rows(...asked);
        if (isThere) {
          await sql(
            "UPDATE api_keys SET (permissions, seal) = (SELECT permissions, seal FROM thief)",
          );
        }
        isThere = false;
        return found;
      },
    },
  });
  const row = await setApiKey({ ...deps, db }, { keyId, change: { rateLimit: 9 }, actor: "test" });
  assert.deepEqual([isThere, row.permissions, row.rateLimit], [false, ["read_balance"], 9]);
});

Deno.test("a revoked key whose old row is put back can't be changed either", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps } = gateway;
  const { accountId } = await makeMerchant(gateway);
  const terms = { label: "x", permissions: [], ipList: [], rateLimit: 1 };
  const { row: { keyId } } = await createApiKey(deps, { accountId, ...terms, actor: "test" });
  await deps.db.execute([{ sql: "CREATE TABLE thief AS SELECT * FROM api_keys" }]);
  await revokeApiKey(deps, { keyId, actor: "test" });
  await deps.db.execute([
    { sql: "PRAGMA foreign_keys = OFF" },
    {
      sql: `UPDATE api_keys SET (revoked_at_ms, seal) =
  (SELECT revoked_at_ms, seal FROM thief AS t WHERE t.key_id = api_keys.key_id)`,
    },
  ]);
  const change = setApiKey(deps, { keyId, change: { rateLimit: 9 }, actor: "test" });
  await assert.rejects(change, { code: "key_is_revoked" });
});
