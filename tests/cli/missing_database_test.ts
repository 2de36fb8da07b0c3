import assert from "node:assert/strict";
import { COMMANDS } from "../support/programs/commands.ts";
import { nameOf } from "../../src/operations/operation.ts";
import { makeCheckout } from "../support/programs/checkout.ts";
import { makeServerPlace } from "../support/database/database.ts";
import { makeNewCli } from "./cli_host.ts";
import { lineOf } from "./line_of.ts";

/** They create a database, need none, or list it with whatever else is wrong. */
const OTHERS = [
  ...["serve", "demo", "migrate", "restore"],
  ...["drill", "version", "help", "completions", "sign", "role list", "doctor", "install-service"],
];
const REFUSED =
  /^There is no database at \S+.*: check CPG_DATABASE_URL .*"migrate" or "serve" creates a new one$/;

const refused = COMMANDS.filter((command) => !OTHERS.includes(nameOf(command)));

Deno.test("only serve, demo, migrate and restore create a database; others say which is missing", async () => {
  await using cli = await makeNewCli();
  const folder = cli.env.CPG_DATABASE_URL!.replace(/^file:(.*)\/[^/]*$/, "$1");
  const isFile = cli.env.CPG_DATABASE_URL!.startsWith("file:");
  let asked = 0;
  // What moves a file says of a server first that it is none.
  for (const command of refused.filter((one) => isFile || nameOf(one) !== "move")) {
    const { code, out } = await cli.run([...lineOf(command), "--json"]);
    // 2: the line lacks arguments that only some of the command's forms need.
    assert.ok(code === 1 || code === 2, nameOf(command));
    if (code === 1) assert.match(JSON.parse(out).error.message, REFUSED, nameOf(command));
    asked += code === 1 ? 1 : 0;
    if (isFile) assert.deepEqual([...Deno.readDirSync(folder)], [], nameOf(command));
  }
  assert.ok(asked > 50);
  const { code, err } = await cli.run(["migrate"]);
  assert.equal(code, 0);
  assert.equal(err, `Created the database at ${cli.env.CPG_DATABASE_URL}.\n`);
  assert.deepEqual(await cli.json("account", "list"), []);
  assert.equal((await cli.run(["migrate"])).err, "");
});

Deno.test("a server without our tables, or somebody else's file, is no database of ours", async () => {
  await using place = await makeServerPlace();
  await using remote = await makeNewCli(place.env);
  assert.match(await remote.fails(1, "account", "list"), REFUSED);
  assert.match(await remote.fails(1, "backup", "/tmp/none.db"), REFUSED);
  await remote.json("migrate");
  assert.deepEqual(await remote.json("account", "list"), []);
  const path = await Deno.makeTempFile();
  await using file = await makeNewCli({ CPG_DATABASE_URL: `file:${path}` });
  assert.match(await file.fails(1, "account", "list"), REFUSED);
  assert.equal((await Deno.stat(path)).size, 0);
  await Deno.remove(path);
});

Deno.test("in a new folder only migrate creates anything, and it names the database and its key", async () => {
  await using checkout = await makeCheckout();
  const { folder } = checkout;
  const run = async (...words: string[]) => {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["task", "-q", "cpg", ...words],
      cwd: folder,
      env: { CPG_DATABASE_URL: "", CPG_MASTER_KEY: "" },
      stdin: "null",
    }).output();
    return { code, err: new TextDecoder().decode(stderr) };
  };
  for (const words of [["account", "list"], ["seed", "import", "--yes"]]) {
    const { code, err } = await run(...words);
    assert.equal(code, 1);
    assert.match(err, /^error: There is no database at file:\.\/data\/cpg\.db: check [^\n]*\n$/);
    await assert.rejects(Deno.stat(`${folder}/data`), Deno.errors.NotFound);
  }
  assert.deepEqual(await run("migrate"), {
    code: 0,
    err: "Created the database at file:./data/cpg.db, and the master key at ./data/master.key.\n",
  });
  await Deno.remove(`${folder}/data/master.key`);
  assert.match((await run("account", "list")).err, /^error: The master key file .* is missing/);
  await assert.rejects(Deno.stat(`${folder}/data/master.key`), Deno.errors.NotFound);
});

Deno.test("a server that can't listen says so in one line, and creates no database", async () => {
  await using checkout = await makeCheckout();
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "-q", "start"],
    cwd: checkout.folder,
    env: { CPG_DATABASE_URL: "", CPG_MASTER_KEY: "", CPG_PORT: String(listener.addr.port) },
    stdin: "null",
  }).output();
  assert.equal(code, 1);
  assert.match(new TextDecoder().decode(stderr), /^error: Port \d+ on 127\.0\.0\.1 is in use.*\n$/);
  await assert.rejects(Deno.stat(`${checkout.folder}/data/cpg.db`), Deno.errors.NotFound);
});

/** A line that gets as far as the database. */
