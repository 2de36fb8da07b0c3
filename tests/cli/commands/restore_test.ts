import assert from "node:assert/strict";
import { makeCli } from "../cli_host.ts";

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
