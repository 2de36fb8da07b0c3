import assert from "node:assert/strict";
import { openDb } from "../../src/store/engine/db.ts";
import { COMMANDS } from "../support/programs/commands.ts";
import { nameOf } from "../../src/operations/operation.ts";
import { watchBooks } from "../support/stage.ts";
import { makeCli, makeNewCli } from "./cli_host.ts";
import { lineOf } from "./line_of.ts";

/** They open no database, or another one first. */
const OTHERS = [
  ...["demo", "help", "version", "completions", "sign", "role list"],
  ...["drill", "restore", "move", "doctor", "install-service"],
];
const REFUSED = /^Cannot open the database's secrets: the master key is not the one it was sealed/;

Deno.test("with another database's master key every command is refused, and nothing is written", async () => {
  await using cli = await makeCli();
  const { CPG_DATABASE_URL = "", CPG_DATABASE_TOKEN } = cli.env;
  const place = { CPG_DATABASE_URL, CPG_DATABASE_TOKEN };
  await using other = await makeNewCli({ ...place, CPG_MASTER_KEY: "44".repeat(32) });
  const db = await openDb({ url: CPG_DATABASE_URL, token: CPG_DATABASE_TOKEN });
  const seen = await watchBooks({ db });
  let asked = 0;
  for (const command of COMMANDS.filter((one) => !OTHERS.includes(nameOf(one)))) {
    const stopped = Promise.resolve();
    const { code, out } = await other.run([...lineOf(command), "--json"], { stopped });
    // 2: the line lacks arguments that only some of the command's forms need.
    assert.ok(code === 1 || code === 2, nameOf(command));
    if (code === 1) assert.match(JSON.parse(out).error.message, REFUSED, nameOf(command));
    asked += code === 1 ? 1 : 0;
  }
  assert.ok(asked > 80, String(asked));
  assert.equal((await seen()).isWritten, false);
  await db.close();
});
