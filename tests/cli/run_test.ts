import assert from "node:assert/strict";
import { COMMANDS } from "../support/programs/commands.ts";
import { nameOf } from "../../src/operations/operation.ts";
import { findExplained, renderCommand } from "../../src/cli/help.ts";
import { EVENT_TYPES } from "../../src/webhooks/rules/events.ts";
import { runCli } from "../../src/cli/run.ts";
import { NO_SCREEN } from "../../src/operations/screen/screen.ts";
import { makeCli, makeNewCli } from "./cli_host.ts";

Deno.test("help lists every command, and explains each", async () => {
  await using cli = await makeCli();
  const overview = await cli.run(["help"]);
  assert.equal(overview.code, 0);
  const explained = await cli.json("help");
  assert.deepEqual(explained.map((it: { command: string }) => it.command), COMMANDS.map(nameOf));
  assert.match(overview.out, /\n\nGet paid\n {2}invoice list {2,}Lists invoices/);
  const listed = overview.out.split("\n").filter((line) => line.startsWith("  "))
    .map((line) => line.trim().split("  ")[0]!);
  assert.deepEqual(listed.toSorted(), COMMANDS.map(nameOf).toSorted(), "each once");
  for (const command of COMMANDS) {
    const { code, out } = await cli.run(["help", ...command.words]);
    assert.equal(code, 0);
    const task = command.isTask ? "deno task" : "deno task cpg";
    assert.ok(out.startsWith(`${command.summary}\n\nUsage: ${task} ${nameOf(command)}`));
    for (const name of Object.keys(command.flags)) assert.ok(out.includes(`  --${name}`), name);
  }
});

Deno.test("help for a group explains its commands, and for something unknown it fails with 2", async () => {
  await using cli = await makeCli();
  const group = await cli.json("help", "seed");
  assert.deepEqual(group.map((it: { command: string }) => it.command), [
    "seed show",
    "seed import",
  ]);
  assert.equal(
    await cli.fails(2, "help", "frobnicate"),
    'There is no command "frobnicate"; "help" lists them',
  );
});

Deno.test("help shows the demo as a task, and no default where there is none", async () => {
  await using cli = await makeCli();
  const demo = (await cli.run(["help", "demo"])).out;
  assert.match(demo, /^Usage: deno task demo \[flags\]$/m);
  assert.match(demo, /^ {2}deno task demo --faults --seed 7$/m);
  assert.doesNotMatch(demo, /task cpg/);
  assert.match((await cli.run(["help", "migrate"])).out, /^Usage: deno task cpg migrate$/m);
  for (const { flags } of await cli.json("help")) {
    for (const { default: fallback } of flags) assert.notEqual(fallback, "null");
  }
});

Deno.test("help fits a terminal, with the choices of each flag", () => {
  for (const command of COMMANDS) {
    const table = renderCommand(command, { columns: 100, hasColours: false }).split("\n").slice(3);
    for (const line of table.slice(0, table.indexOf(""))) assert.ok(line.length <= 100, line);
  }
  const [payee] = findExplained(COMMANDS, ["payee", "add"]);
  assert.match(renderCommand(payee!, NO_SCREEN), /before it counts \(default 24h\)$/m);
  const [trigger] = findExplained(COMMANDS, ["webhook", "trigger"]);
  const text = renderCommand(trigger!, NO_SCREEN);
  assert.match(text, /^Usage: deno task cpg webhook trigger ID --type TYPE$/m);
  for (const type of EVENT_TYPES) assert.ok(text.includes(type), type);
});

Deno.test("wrong usage is exit code 2 and one line on standard error", async () => {
  await using cli = await makeCli();
  const { code, out, err } = await cli.run(["account", "create"]);
  assert.equal(code, 2);
  assert.equal(out, "");
  assert.equal(err, "error: account create needs --name; for example: --name Acme\n");
});

Deno.test("wrong usage with --json is one document on standard output and nothing else", async () => {
  await using cli = await makeCli();
  const { code, out, err } = await cli.run(["--json", "account", "create"]);
  assert.equal(code, 2);
  assert.deepEqual(JSON.parse(out), {
    error: { message: "account create needs --name; for example: --name Acme" },
  });
  assert.equal(err, "");
});

Deno.test("an operator's mistake is exit code 1 and one line", async () => {
  await using cli = await makeCli();
  const { code, out, err } = await cli.run(["network", "gas-wallet", "NOPE"]);
  assert.equal(code, 1);
  assert.equal(out, "");
  assert.equal(err, 'error: There is no network NOPE; "network list" lists them\n');
});

Deno.test("version and --version show the program's version whatever the configuration", async () => {
  await using cli = await makeCli({ CPG_PORT: "many" });
  const reported = await cli.json("version");
  assert.match(reported.version, /^\d+\.\d+\.\d+$/);
  assert.equal(reported.deno, Deno.version.deno);
  for (const flag of ["--version", "-V"]) assert.deepEqual(await cli.json(flag), reported);
});

Deno.test("a wrong configuration is reported in one line, and help works in spite of it", async () => {
  await using cli = await makeCli({ CPG_PORT: "many" });
  assert.match(await cli.fails(1, "migrate"), /^CPG_PORT "many" is not a whole number/);
  assert.equal((await cli.run(["help"])).code, 0);
});

Deno.test("a misspelt variable causes a warning beside a command's answer", async () => {
  await using cli = await makeCli({ CPG_PUBLIK_URL: "https://pay.example.com" });
  for (const args of [["account", "list"], ["account", "list", "--json"]]) {
    const { code, out, err } = await cli.run(args);
    assert.deepEqual([code, out], [0, args.length === 3 ? "[]\n" : "Nothing found.\n"]);
    assert.equal(
      err,
      "warning: CPG_PUBLIK_URL is not a CPG setting and is ignored; " +
        "did you mean CPG_PUBLIC_URL?\n",
    );
  }
});

Deno.test("an unexpected fault is one line without a stack, which only debugging shows", async () => {
  for (const level of ["info", "debug"]) {
    let err = "";
    const code = await runCli(["account", "list"], {
      env: { CPG_LOG_LEVEL: level },
      unknownNames: [],
      databaseUrl: () => "file:none",
      publicUrl: () => "http://127.0.0.1",
      open: () => Promise.reject(new Error("two\nlines")),
      serve: () => Promise.reject(new Error("unused")),
      checkPorts: () => Promise.resolve(),
      untilStopped: () => Promise.resolve(),
      proveKey: () => Promise.resolve(),
      diagnose: () => Promise.resolve([]),
      writeOut: () => {},
      writeError: (text) => void (err += text),
      isTerminal: false,
      isOutTerminal: false,
      isInTerminal: false,
      screen: NO_SCREEN,
      readLine: () => Promise.resolve(undefined),
      readFile: () => Promise.resolve(undefined),
      readRest: () => Promise.resolve(undefined),
      readSecret: () => Promise.resolve(undefined),
      checkKeyFile: () => {},
      keepMasterKey: () => Promise.resolve(undefined),
    });
    assert.equal(code, 1);
    const [line, ...rest] = err.trimEnd().split("\n");
    assert.equal(line, "error: Unexpected error: two lines (CPG_LOG_LEVEL=debug shows where)");
    assert.equal(rest.some((it) => it.includes("run_test.ts")), level === "debug");
  }
});

Deno.test("migrate says what it applied, and the next time that nothing was left", async () => {
  await using cli = await makeNewCli();
  const first = await cli.json("migrate");
  assert.ok(first.applied.includes("0001_foundation"));
  assert.deepEqual(await cli.json("migrate"), { applied: [], version: first.version });
  await using people = await makeNewCli();
  const outs = [];
  for (let times = 0; times < 2; times++) outs.push((await people.run(["migrate"])).out);
  assert.deepEqual(outs, [
    `The database is new, at version ${first.version}\n`,
    `Nothing to do: the database is at version ${first.version}\n`,
  ]);
});

Deno.test("lists are tables for people, and say so if they are empty", async () => {
  await using cli = await makeCli();
  assert.equal((await cli.run(["account", "list"])).out, "Nothing found.\n");
  await cli.json("account", "create", "--name", "Acme");
  const { out } = await cli.run(["account", "list"]);
  assert.match(out, /^ACCOUNT ID {2}NAME {2}.*CREATED AT\n1 {11}Acme {2}.*20\d\d-.*\+00:00\n$/);
});

Deno.test("a name can't forge lines or move the cursor on the operator's terminal", async () => {
  await using cli = await makeCli();
  await cli.json("account", "create", "--name", "Acme\n2  Evil\u001b[2J");
  const { out } = await cli.run(["account", "list"]);
  assert.equal(out.split("\n").length, 3);
  assert.ok(!out.includes("\u001b"));
});

Deno.test("serve prints its URL and the dashboard's, answers there, and stops on request", async () => {
  await using cli = await makeCli();
  for (const json of [[], ["--json"]]) {
    const stopped = Promise.withResolvers<void>();
    const started = Promise.withResolvers<string>();
    const running = cli.run(["serve", ...json], {
      stopped: stopped.promise,
      onOut: started.resolve,
    });
    const out = await started.promise;
    const [, url, dashboardUrl, setUpUrl] = json.length > 0
      ? ["", ...Object.values<string>(JSON.parse(out))]
      : /^Listening on (\S+)\nDashboard at (\S+)\nCreate the first .* once: (\S+)\n$/.exec(out)!;
    assert.equal(dashboardUrl, `${url}/dashboard`);
    assert.match(await (await fetch(setUpUrl!)).text(), /You are the owner/);
    const alive = await fetch(`${url}/healthz`);
    assert.deepEqual(await alive.json(), { status: "alive" });
    stopped.resolve();
    assert.equal((await running).code, 0);
    await assert.rejects(fetch(`${url}/healthz`));
  }
});
