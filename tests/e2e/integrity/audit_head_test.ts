import assert from "node:assert/strict";
import { noteAuditHead } from "../../../src/integrity/note_audit_head.ts";
import { auditEnd } from "../../../src/audit/reads/audit.ts";
import { connect } from "../../../src/store/connection/connect.ts";
import { makeCli } from "../../cli/cli_host.ts";
import { openStillGateway } from "../../dashboard/gateway.ts";

Deno.test("audit head is the newest row, also in each backup, and a log without its end isn't whole", async () => {
  await using cli = await makeCli();
  await cli.json("account", "create", "--name", "Acme");
  await cli.json("account", "create", "--name", "Other");
  const [newest, before] = await cli.json("audit", "list");
  const { id, hash } = newest;
  assert.deepEqual(await cli.json("audit", "head"), { id, hash });
  const file = await Deno.makeTempFile({ suffix: ".db" });
  await Deno.remove(file);
  await cli.json("backup", file);
  const copy = await connect({ url: `file:${file}`, token: undefined });
  const { rows: [kept] } = await copy.execute("SELECT audit_id, audit_hash FROM write_clock");
  copy.close();
  assert.deepEqual([kept!.audit_id, kept!.audit_hash], [id, hash]);
  const token = cli.env.CPG_DATABASE_TOKEN;
  const client = await connect({ url: cli.env.CPG_DATABASE_URL!, token });
  await client.execute("DROP TRIGGER audit_log_no_delete");
  await client.execute(`DELETE FROM audit_log WHERE id >= ${id}`);
  client.close();
  const { code, out } = await cli.run(["audit", "verify", "--head", before.hash, "--json"]);
  assert.deepEqual([code, JSON.parse(out).ok], [1, false]);
  await Deno.remove(file);
});

Deno.test("the program logs the head of the audit log once an hour", async () => {
  await using world = await openStillGateway();
  const said: unknown[] = [];
  const log = { ...world.deps.log, info: (...line: unknown[]) => void said.push(line) };
  const deps = { ...world.deps, log };
  const { newest: { id, hash } } = await auditEnd(deps.db);
  const line = ["audit head", { id, hash }];
  const away = { ...deps, db: { ...deps.db, query: () => Promise.reject(new Error("away")) } };
  await assert.rejects(noteAuditHead(away), /away/);
  await noteAuditHead(deps);
  world.moveMs(3_599_999);
  await noteAuditHead(deps);
  assert.deepEqual(said, [line]);
  world.moveMs(1);
  await noteAuditHead(deps);
  assert.deepEqual(said, [line, line]);
});
