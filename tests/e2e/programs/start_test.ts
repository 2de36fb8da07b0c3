import assert from "node:assert/strict";
import { createClient } from "@libsql/client/sqlite3";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { apiClient } from "../../support/api_client.ts";
import { startChildGateway } from "../../support/programs/child_gateway.ts";
import { enable, makeMerchant, makeNetwork } from "../../support/gateway.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { STRANGER } from "../../support/payers.ts";
import { runProgram } from "../../support/programs/program.ts";
import { startRawReceiver } from "../../support/programs/receiver.ts";
import { serveHere } from "../../support/programs/serve_here.ts";
import { withdraw } from "../../support/views.ts";
import { makeFilePlace } from "../../support/database/database.ts";

type Env = Record<string, string>;

const MAIN = new URL("../../../main.ts", import.meta.url).pathname;

interface BadStart {
  readonly title: string;
  readonly line: RegExp;
  /** Breaks it. Returns how to repair it after the failed start. */
  spoil(env: Env): Promise<{ env: Env; restore?: () => Promise<void> }>;
}

const BAD_STARTS: readonly BadStart[] = [
  {
    title: "the master key is another one",
    line: /^error: .*the master key is not the one it was sealed with$/,
    spoil: (env) => Promise.resolve({ env: { ...env, CPG_MASTER_KEY: "22".repeat(32) } }),
  },
  {
    title: "the database is newer than the program",
    line:
      /^error: The database is at version 999 and this program knows versions up to \d+: use a newer program$/,
    spoil: async (env) => {
      await execute(
        env,
        "INSERT INTO schema_migrations VALUES (999, '0999_future', 'none', 0)",
      );
      return {
        env,
        restore: () => execute(env, "DELETE FROM schema_migrations WHERE version = 999"),
      };
    },
  },
  {
    title: "the port is used",
    line:
      /^error: Port \d+ on 127\.0\.0\.1 is in use: stop what uses it or set CPG_PORT; for example: CPG_PORT=\d+$/,
    spoil: (env) => {
      const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      return Promise.resolve({
        env: { ...env, CPG_PORT: String(listener.addr.port) },
        restore: () => Promise.resolve(listener.close()),
      });
    },
  },
  {
    title: "another one serves the same file",
    line: /^error: Another gateway is already serving file:.*: stop it first/,
    spoil: async (env) => {
      const first = await startChildGateway(env);
      return {
        env,
        restore: async () => {
          assert.equal((await fetch(`${first.url}/healthz`).then((r) => r.json())).status, "alive");
          assert.equal(await first.terminate(), 0);
        },
      };
    },
  },
  {
    title: "a variable makes no sense",
    line: /^error: CPG_PORT "eighty" is not a whole number .*; for example: CPG_PORT=8080$/,
    spoil: (env) => Promise.resolve({ env: { ...env, CPG_PORT: "eighty" } }),
  },
  ...["CPG_HOST", "CPG_DASHBOARD_HOST"].map((name): BadStart => ({
    title: `${name} is an address of another machine`,
    line: new RegExp(`^error: ${name} "192.0.2.1" is not an address of this machine; for example`),
    spoil: (env) => Promise.resolve({ env: { ...env, [name]: "192.0.2.1" } }),
  })),
  {
    title: "the database's folder does not exist",
    line: /^error: .*nowhere/,
    spoil: (env) => {
      const url = env.CPG_DATABASE_URL!.replace("/cpg.db", "/nowhere/cpg.db");
      return Promise.resolve({ env: { ...env, CPG_DATABASE_URL: url } });
    },
  },
  {
    title: "the file is no database",
    line: /^error: .*other\.db/,
    spoil: async (env) => {
      const url = env.CPG_DATABASE_URL!.replace("cpg.db", "other.db");
      await Deno.writeTextFile(url.slice("file:".length), "a shopping list\n".repeat(100));
      return { env: { ...env, CPG_DATABASE_URL: url } };
    },
  },
  {
    title: "the database server cannot be reached",
    line: /^error: .*127\.0\.0\.1:\d+/,
    spoil: (env) => {
      const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const url = `http://127.0.0.1:${listener.addr.port}`;
      listener.close();
      return Promise.resolve({ env: { ...env, CPG_DATABASE_URL: url } });
    },
  },
  {
    title: "the database server says nothing",
    line: /^error: Cannot open the database http:\/\/127\.0\.0\.1:\d+: no answer within 10 s$/,
    spoil: (env) => {
      const { url, [Symbol.asyncDispose]: restore } = startRawReceiver(forEver);
      return Promise.resolve({ env: { ...env, CPG_DATABASE_URL: new URL(url).origin }, restore });
    },
  },
];

for (const { title, line, spoil } of BAD_STARTS) {
  Deno.test(`the program doesn't start when ${title}: one line says why, and nothing is damaged`, async () => {
    await using place = await makePlace();
    const before = await dump(place.env);
    const { env, restore } = await spoil(place.env);
    const ran = await runProgram(["serve"], env).finally(() => restore?.());
    assert.equal(ran.code, 1, ran.stderr);
    assert.equal(ran.stdout, "");
    const lines = ran.stderr.trimEnd().split("\n");
    assert.equal(lines.length, 1, ran.stderr);
    assert.doesNotMatch(lines[0]!, /Unexpected error/);
    assert.match(lines[0]!, line);
    assert.deepEqual(await dump(place.env), before);
    const again = await serveHere(place.env);
    assert.equal((await apiClient(again.url, place.credentials).get("/v1/_ping")).status, 200);
    await again.stop();
    assert.equal(again.logged(), "");
  });
}

Deno.test("contract 5: a wrong CPG_HOST without a command is one line, and creates no database", async () => {
  await using place = await makeFilePlace();
  const { CPG_DATABASE_URL: url = "" } = place.env;
  const file = url.slice("file:".length).replace("cpg.db", "new.db");
  for (const [host, args] of [["300.1.2.3", []], ["192.0.2.1", ["--json"]]] as const) {
    const env = { ...place.env, CPG_HOST: host, CPG_DATABASE_URL: `file:${file}`, CPG_FOO: "1" };
    const ran = await runProgram(args, env);
    assert.equal(ran.code, 1, ran.stderr);
    const [line, ...more] = `${ran.stdout}${ran.stderr}`.trimEnd().split("\n");
    assert.deepEqual(more, []);
    const message = args.length === 0
      ? line!.replace("error: ", "")
      : JSON.parse(line!).error.message;
    assert.equal(
      message,
      `CPG_HOST "${host}" is not an address of this machine; for example: CPG_HOST=127.0.0.1`,
    );
    await assert.rejects(Deno.stat(file), Deno.errors.NotFound);
  }
});

Deno.test("every command ends in time when the database server says nothing", async () => {
  await using mute = startRawReceiver(forEver);
  const url = new URL(mute.url).origin;
  const asked: [words: string[], url: string][] = [
    [["migrate"], url],
    [["migrate"], url.replace("http:", "ws:")],
    [["account", "list"], url],
    [["doctor"], url],
  ];
  await Promise.all(asked.map(async ([words, url]) => {
    const env = { CPG_DATABASE_URL: url, CPG_MASTER_KEY: "11".repeat(32) };
    const { code, stdout, stderr } = await runProgram(words, env);
    assert.equal(code, 1);
    const silent = `Cannot open the database ${url}: no answer within 10 s`;
    assert.ok((stdout + stderr).includes(silent), stdout + stderr);
  }));
});

function forEver(): Promise<void> {
  return new Promise(() => {});
}

Deno.test("without permissions the program says in one line how to start it", async () => {
  const starts = [[["demo"], "demo", "=demo"], [[], "start", ""], [
    ["doctor"],
    "cpg doctor",
    "=cpg",
  ]];
  await Promise.all(starts.map(async ([words, task, set]) => {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "--no-prompt", MAIN, ...words!],
    }).output();
    const reported = new TextDecoder().decode(stderr);
    assert.equal(code, 1);
    assert.match(
      reported,
      new RegExp(`^error: .*"deno task ${task}", or "deno run -P${set} [^\n]*\n$`),
    );
  }));
});

for (const isDead of [true, false]) {
  const what = isDead ? "the node is dead" : "the node is on another chain";
  Deno.test(`the program serves when ${what}, says so in one line, credits nothing and sends nothing`, async () => {
    await using anvil = await startAnvil(isDead ? {} : { args: ["--chain-id", "7777"] });
    await using place = await makePlace(anvil);
    if (isDead) await anvil.stop();
    const child = await startChildGateway(place.env);
    const api = apiClient(child.url, place.credentials);
    await eventually(() => Promise.resolve(child.stderr()), { until: (text) => text !== "" });
    const rejected = await withdraw(api, { to: STRANGER, amount: "1" });
    assert.equal(rejected.status, 502, JSON.stringify(rejected.body));
    assert.equal((await api.get("/v1/balances")).body.data[0].available, "10");
    const ready = await fetch(`${child.url}/readyz`).then((r) => r.json());
    assert.equal(ready.networks[0].scanned_to, 0);
    assert.equal(await child.terminate(), 0);
    const reported = child.stderr().trimEnd().split("\n").map((text) => JSON.parse(text));
    const lines = reported.filter(({ alert }) => alert !== "withdrawals_failing");
    assert.deepEqual([lines.length, reported.length], [1, 2], child.stderr());
    const [{ level, message, network, error }] = lines;
    assert.deepEqual([level, message, network], ["warn", "network is not followed", "ETH"]);
    assert.equal(typeof error, "string", "No stack of what is the world's fault");
    assert.match(error, isDead ? /127\.0\.0\.1:\d+/ : /ETH is chain 31337 .* on chain 7777/);
  });
}

interface Place extends AsyncDisposable {
  readonly env: Env;
  readonly credentials: { keyId: string; secret: string };
}

/** A database in which an account with 10 coins was set up. */
async function makePlace(anvil?: Anvil): Promise<Place> {
  const { env, remove } = await makeFilePlace({ isMigrated: true });
  const { deps, close } = await openGateway(readConfig({ ...env, CPG_LOG_LEVEL: "silent" }));
  try {
    const merchant = await makeMerchant({ deps, url: "http://127.0.0.1" });
    if (anvil) {
      await makeNetwork(deps, { rpcUrls: [anvil.url] });
      const asset = { accountId: merchant.accountId, network: "ETH", currency: "ETH" };
      await enable(deps, asset);
      await adjustBalance(deps, { ...asset, amount: "10", note: "test", actor: "test" });
    } else {
      await deps.keyRing();
    }
    return {
      env,
      credentials: merchant.credentials,
      [Symbol.asyncDispose]: remove,
    };
  } finally {
    await close();
  }
}

/** Everything in the database except the writers' times and the link that each start makes. */
const WRITTEN_BY_SERVING = new Set(["writers", "write_clock", "set_up_links"]);
const LINK_MADE = "user.link_made";

async function dump({ CPG_DATABASE_URL }: Env): Promise<Record<string, unknown>> {
  const client = createClient({ url: CPG_DATABASE_URL! });
  try {
    const tables = await client.execute(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY 1",
    );
    const all: Record<string, unknown> = {};
    for (const { name } of tables.rows) {
      if (WRITTEN_BY_SERVING.has(String(name))) continue;
      const { rows } = await client.execute(`SELECT * FROM ${name}`);
      all[String(name)] = rows.filter((row) => row.action !== LINK_MADE).map((row) => ({ ...row }));
    }
    return all;
  } finally {
    client.close();
  }
}

async function execute({ CPG_DATABASE_URL }: Env, sql: string): Promise<void> {
  const client = createClient({ url: CPG_DATABASE_URL! });
  await client.execute(sql);
  client.close();
}
