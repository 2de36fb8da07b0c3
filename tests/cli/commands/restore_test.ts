import assert from "node:assert/strict";
import { Membership } from "../../../src/upkeep/membership.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { testConfig } from "../../support/gateway.ts";
import { makeCli, makeNewCli } from "../cli_host.ts";

Deno.test("if a database is in the way, restore and backup say what to do about it", async () => {
  await using cli = await makeCli();
  await cli.json("account", "create", "--name", "Acme");
  const folder = await Deno.makeTempDir({ prefix: "cpg-restore-" });
  const file = `${folder}/backup.db`;
  await cli.json("backup", file);
  assert.match(
    await cli.fails(1, "restore", file),
    /^There is a database at \S+ already: move it away, or set CPG_DATABASE_URL to a new one$/,
  );
  assert.match(await cli.fails(1, "backup", file), /^There is a database at .*: name a new one$/);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a restored copy doesn't count the servers of the database that was backed up", async () => {
  await using cli = await makeCli();
  await using copy = await makeNewCli();
  const folder = await Deno.makeTempDir({ prefix: "cpg-restore-" });
  const { deps, close } = await openGateway(testConfig(cli.env));
  const server = new Membership(deps);
  await server.start();
  await cli.json("backup", `${folder}/backup.db`);
  assert.equal((await cli.json("status")).servers, 1);
  await copy.json("restore", `${folder}/backup.db`);
  const { out } = await copy.run(["status", "--json"]);
  assert.equal(JSON.parse(out).servers, 0);
  await server.leave();
  await close();
  await Deno.remove(folder, { recursive: true });
});
