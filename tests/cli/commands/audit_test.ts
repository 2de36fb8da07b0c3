import assert from "node:assert/strict";
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
