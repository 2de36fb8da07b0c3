import assert from "node:assert/strict";
import { handKeyOf } from "../../../src/access/manage_api_keys.ts";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { PERMISSIONS } from "../../../src/access/rules/permissions.ts";
import { apiClient } from "../../support/api_client.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { makePlace } from "../../support/database/database.ts";
import { startGateway } from "../../support/gateway.ts";
import { cliOn, makeCli } from "../cli_host.ts";

Deno.test("a key's secret is shown at its creation and never again", async () => {
  await using cli = await makeCli();
  await cli.json("account", "create", "--name", "Acme");
  const { secret, ...shown } = await cli.json(
    ...["key", "create", "--account", "1", "--label", "ci", "--rate-limit", "60"],
    ...["--permissions", "withdraw, read_balance,withdraw", "--ip", "10.0.0.0/8,::1"],
  );
  assert.match(secret, /^[\w-]{43}$/);
  assert.match(shown.key_id, /^cpg_/);
  assert.deepEqual(shown, {
    key_id: shown.key_id,
    account_id: 1,
    label: "ci",
    permissions: ["withdraw", "read_balance"],
    ip_whitelist: ["10.0.0.0/8", "::1"],
    rate_limit: 60,
    created_at: shown.created_at,
    revoked_at: null,
  });
  assert.deepEqual(await cli.json("key", "list", "--account", "1"), [shown]);
  assert.deepEqual(await cli.json("key", "list"), [shown]);
});

Deno.test("key list shows its account's keys only, and refuses an unknown account", async () => {
  await using cli = await makeCli();
  for (const name of ["Acme", "Other"]) await cli.json("account", "create", "--name", name);
  const create = (account: string) =>
    cli.json("key", "create", "--account", account, "--label", "k", "--permissions", "all");
  await create("1");
  const { secret: _, ...second } = await create("2");
  assert.deepEqual(second.permissions, [...PERMISSIONS]);
  assert.deepEqual(await cli.json("key", "list", "--account", "2"), [second]);
  assert.match(await cli.fails(1, "key", "list", "--account", "3"), /^There is no account 3/);
});

Deno.test("key list leaves out the key of what people ask for by hand", async () => {
  await using place = await makePlace({ isMigrated: true });
  await using gateway = await startGateway({ ...place.env, CPG_WORKER: "false" });
  const { id: accountId } = await createAccount(gateway.deps, { name: "Acme", actor: "test" });
  await handKeyOf(gateway.deps, { accountId, actor: "test" });
  await using cli = cliOn({ env: place.env, remove: () => Promise.resolve() });
  assert.deepEqual(await cli.json("key", "list"), []);
});

Deno.test("a key created beside a running server works there, and fails within a second once revoked", async () => {
  await using cli = await makeCli();
  const stopped = Promise.withResolvers<void>();
  const started = Promise.withResolvers<string>();
  const running = cli.run(["serve", "--json"], {
    stopped: stopped.promise,
    onOut: started.resolve,
  });
  const { url } = JSON.parse(await started.promise);
  await cli.json("account", "create", "--name", "Acme");
  const { key_id: keyId, secret } = await cli.json(
    ...["key", "create", "--account", "1", "--label", "k", "--permissions", "read_balance"],
  );
  const { get } = apiClient(url, { keyId, secret });
  assert.equal((await get("/v1/_ping")).status, 200);
  const revoked = await cli.json("key", "revoke", keyId);
  assert.notEqual(revoked.revoked_at, null);
  await eventually(() => get("/v1/_ping"), {
    until: ({ status }) => status === 401,
    withinMs: 1_000,
  });
  assert.deepEqual(await cli.json("key", "revoke", keyId), revoked);
  assert.match(await cli.fails(1, "key", "revoke", "cpg_none"), /^There is no key cpg_none/);
  stopped.resolve();
  assert.equal((await running).code, 0);
});
