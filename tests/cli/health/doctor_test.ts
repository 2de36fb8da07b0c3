import assert from "node:assert/strict";
import type { Finding } from "../../../src/operations/host.ts";
import { judgeClock } from "../../../src/app/diagnose/clock.ts";
import { doctorText } from "../../../src/cli/health/doctor.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { type Answer, makeCli, makeNewCli, type TestCli } from "../cli_host.ts";

async function examine(cli: Pick<TestCli, "run">): Promise<{ code: number; checks: Answer[] }> {
  const { code, out } = await cli.run(["doctor", "--json"]);
  const { ok, checks } = JSON.parse(out);
  assert.equal(ok, code === 0);
  return { code, checks };
}

const bad = (checks: Answer[]) =>
  checks.filter(({ state }) => state === "failed").map(({ check, message }) => [check, message]);

Deno.test("doctor finds every wrong setting at once, and shows no secret", async () => {
  const secrets = {
    CPG_MASTER_KEY: "hidden-but-no-key",
    CPG_DATABASE_TOKEN: "hidden token",
    CPG_METRICS_TOKEN: "hidden",
  };
  await using cli = await makeNewCli({
    ...secrets,
    CPG_PORT: "many",
    CPG_LOG_LEVEL: "loud",
    CPG_PUBLIK_URL: "x",
  });
  const { code, checks } = await examine(cli);
  assert.equal(code, 1);
  const failed = bad(checks);
  assert.deepEqual(failed.map(([check]) => check), Array(5).fill("configuration"));
  const names = ["PORT", "DATABASE_TOKEN", "MASTER_KEY", "METRICS_TOKEN", "LOG_LEVEL"];
  assert.deepEqual(
    failed.map(([, message]) => message.split(" ")[0]),
    names.map((it) => `CPG_${it}`),
  );
  const misspelt = checks.find(({ state }) => state === "warning");
  assert.match(misspelt.message, /^CPG_PUBLIK_URL is not a CPG setting.*mean CPG_PUBLIC_URL\?$/);
  const text = (await cli.run(["doctor"])).out;
  for (const secret of Object.values(secrets)) assert.ok(!text.includes(secret), secret);
});

Deno.test("doctor neither creates a missing database nor a key, and says what to do", async () => {
  const folder = await Deno.makeTempDir({ prefix: "cpg-doctor-" });
  const file = `${folder}/none/cpg.db`;
  await using cli = await makeNewCli({ CPG_DATABASE_URL: `file:${file}` });
  const { code, checks } = await examine(cli);
  assert.equal(code, 1);
  assert.match(bad(checks)[0]![1], /^There is no database at .*"migrate" or "serve" creates a new/);
  await assert.rejects(Deno.stat(`${folder}/none`), Deno.errors.NotFound);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("doctor tells a file that is no database from one that is missing", async () => {
  const folder = await Deno.makeTempDir({ prefix: "cpg-doctor-" });
  await Deno.writeTextFile(`${folder}/cpg.db`, "this is no database ".repeat(1_000));
  await using cli = await makeNewCli({ CPG_DATABASE_URL: `file:${folder}/cpg.db` });
  const { code, checks } = await examine(cli);
  assert.equal(code, 1);
  assert.deepEqual(bad(checks).map(([check]) => check), ["database"]);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("doctor says that a database is sealed with another master key, and still asks the nodes", async () => {
  await using cli = await makeCli();
  const before = await examine(cli);
  assert.deepEqual(bad(before.checks), []);
  Object.assign(cli.env, { CPG_MASTER_KEY: "22".repeat(32) });
  const { code, checks } = await examine(cli);
  assert.equal(code, 1);
  assert.deepEqual(bad(checks).map(([check]) => check), ["master key"]);
  assert.ok(checks.some(({ check }) => check === "nodes"));
});

Deno.test("doctor asks each node by itself, and never shows the path or password of its URL", async () => {
  await using anvil = await startAnvil();
  await using cli = await makeCli();
  const { port } = new URL(anvil.url);
  const silent = "http://user:hidden-password@127.0.0.1:9/hidden-key";
  const chain = ["--code", "ETH", "--family", "evm", "--min-confirmations", "3"];
  await cli.json("network", "add", ...chain, "--rpc-url", anvil.url, "--rpc-url", silent);
  const { hash } = await cli.json("audit", "head");
  const { code, checks } = await examine(cli);
  assert.equal((await cli.json("audit", "head")).hash, hash);
  // Warnings alone are no failure, as its help says.
  assert.equal(code, 0, JSON.stringify(checks));
  assert.match((await cli.run(["help", "doctor"])).out, /exit code 1 if a check fails, and 0 with/);
  const found = (name: string) => checks.filter(({ check }) => check === name);
  const nodes = found("node of ETH");
  assert.deepEqual(nodes.map(({ state }) => state), ["ok", "warning"]);
  assert.match(nodes[0].message, new RegExp(`^127.0.0.1:${port} answers, at block \\d+$`));
  assert.match(nodes[1].advice, /"network set ETH --rpc-url URL" names others$/);
  assert.match(found("network ETH")[0].message, /^ETH is a test network \(chain 31337\)/);
  assert.equal(found("clock")[0].state, "ok");
  assert.equal(found("server")[0].message, "none is running");
  assert.ok(!JSON.stringify(checks).includes("hidden"));
  await cli.json("network", "set", "ETH", "--rpc-url", silent, "--force");
  const alone = await examine(cli);
  assert.deepEqual([alone.code, bad(alone.checks).length], [1, 1]);
  assert.ok(!JSON.stringify(alone.checks).includes("hidden"));
});

Deno.test("a clock is right within ten seconds and wrong beyond a minute", () => {
  const cases = [[0, "ok"], [10, "ok"], [-11, "warning"], [60, "warning"], [61, "failed"]] as const;
  for (const [aheadS, state] of cases) assert.equal(judgeClock(aheadS).state, state, `${aheadS}`);
  assert.match(judgeClock(-61).message, /^This machine's clock is 61 s behind the nodes$/);
  assert.match(judgeClock(90).message, /clock is 90 s ahead of the nodes$/);
});

Deno.test("doctor's lines fit the terminal", () => {
  const finding: Finding = {
    check: "clock",
    state: "failed",
    message: "one two three four five six",
    advice: "do this and that",
  };
  assert.equal(
    doctorText([finding], { columns: 32, hasColours: false }),
    `FAILED   clock  one two three
                four five six
                -> do this and
                that
`,
  );
});
