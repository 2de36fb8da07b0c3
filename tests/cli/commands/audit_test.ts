import assert from "node:assert/strict";
import { createUser } from "../../../src/access/manage_users.ts";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { connect } from "../../../src/store/connection/connect.ts";
import { makeCli } from "../cli_host.ts";

Deno.test("audit verify accepts a complete log, and names the first row that was changed", async () => {
  await using cli = await makeCli();
  for (const name of ["Acme", "Other", "Third"]) {
    await cli.json("account", "create", "--name", name);
  }
  const [last, ...older] = await cli.json("audit", "list");
  assert.deepEqual([last.actor, last.ip, last.action, last.subject], [
    "cli",
    null,
    "account.created",
    "account:3",
  ]);
  assert.equal(last.detail.name, "Third");
  assert.equal(older.length, 3);
  assert.deepEqual(await cli.json("audit", "verify"), {
    ok: true,
    first_broken_row: null,
    rows_verified: 4,
    rows_before_the_chain: 0,
    head_row: 4,
    head_hash: last.hash,
  });
  const client = await connect({
    url: cli.env.CPG_DATABASE_URL!,
    token: cli.env.CPG_DATABASE_TOKEN,
  });
  await client.execute("DROP TRIGGER audit_log_no_update");
  await client.execute("UPDATE audit_log SET actor = 'nobody' WHERE id = 2");
  client.close();
  const { code, out } = await cli.run(["audit", "verify", "--json"]);
  assert.equal(code, 1);
  const { ok, first_broken_row, rows_verified } = JSON.parse(out);
  assert.deepEqual([ok, first_broken_row, rows_verified], [false, 2, 1]);
});

Deno.test("audit list has the filters of its page: actor, subject, action, account, times and limit", async () => {
  await using cli = await makeCli();
  for (const name of ["Acme", "Other"]) await cli.json("account", "create", "--name", name);
  const ids = async (...flags: string[]) =>
    (await cli.json("audit", "list", ...flags)).map(({ id }: { id: number }) => id);
  assert.deepEqual(await ids(), [3, 2, 1]);
  assert.deepEqual(await ids("--limit", "1"), [3]);
  assert.deepEqual(await ids("--subject", "account:1"), [2]);
  assert.deepEqual(await ids("--actor", "cli"), [3, 2]);
  assert.deepEqual(await ids("--actor", "worker"), [1]);
  assert.deepEqual(await ids("--action", "accounts"), [3, 2]);
  assert.deepEqual(await ids("--action", "sign_in"), []);
  assert.deepEqual(await ids("--account", "2"), [3]);
  assert.deepEqual(await ids("--account", "2", "--subject", "account:1"), []);
  assert.deepEqual(await ids("--from", "2020-01-01"), [3, 2, 1]);
  assert.deepEqual(await ids("--until", "2020-01-01"), []);
  assert.match(await cli.fails(1, "audit", "list", "--account", "9"), /no account 9/);
});

Deno.test("audit list says what changed and who did it, in the words of its page", async () => {
  await using cli = await makeCli();
  await cli.json("account", "create", "--name", "Acme");
  await cli.json("account", "rename", "1", "--name", "Acme Ltd");
  const { out } = await cli.run(["audit", "list", "--account", "1"]);
  const [head, renamed, created] = out.split("\n");
  assert.match(head!, / ACTOR .* SUBJECT +CHANGED$/);
  assert.match(renamed!, / Command line .* account\.changed +account:1 +name Acme → Acme Ltd$/);
  assert.match(created!, / account:1 +name Acme/);
  const keyed = ["key", "create", "--account", "1", "--label", "shop", "--permissions", "all"];
  const { key_id: keyId } = await cli.json(...keyed);
  const gateway = await openGateway(readConfig(cli.env));
  const person = { email: "ops@example.com", role: "operator", accountId: null } as const;
  await createUser(gateway.deps, { ...person, actor: "user:1" }, null);
  await createAccount(gateway.deps, { name: "Other", actor: `api:${keyId}` });
  await gateway.close();
  const by = async (actor: string) => (await cli.run(["audit", "list", "--actor", actor])).out;
  assert.match(await by("Ops@example.com"), / ops@example\.com .* user\.created /);
  assert.match(await by(keyId), / Key "shop" .* account\.created /);
  assert.match(await by("command line"), / Command line .* account\.changed /);
  const [{ actor }] = await cli.json("audit", "list", "--actor", "ops@example.com");
  assert.equal(actor, "user:1");
});

Deno.test("audit list says what --subject takes where a kind alone finds nothing", async () => {
  await using cli = await makeCli();
  await cli.json("account", "create", "--name", "Acme");
  const found = async (subject: string) => {
    const { out, err } = await cli.run(["audit", "list", "--subject", subject]);
    return [out === "Nothing found.\n" ? "nothing" : "some", err];
  };
  const hint = "--subject takes all of it, such as currency:ETH/USDT\n";
  assert.deepEqual(await found("account"), ["nothing", hint]);
  assert.deepEqual(await found("account:9"), ["nothing", ""]);
  assert.deepEqual(await found("account 1"), ["some", ""]);
});
