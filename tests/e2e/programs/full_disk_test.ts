import assert from "node:assert/strict";
import { reportStatus } from "../../../src/upkeep/report_status.ts";
import { problemsOf } from "../../../src/cli/health/status.ts";
import { makeFilePlace } from "../../support/database/database.ts";
import { startGateway } from "../../support/gateway.ts";
import { runProgram } from "../../support/programs/program.ts";
import { makeSmallDisk } from "../../support/programs/small_disk.ts";

const MB = 1_000_000;
const MIGRATED = { isMigrated: true };
/** Making a disk takes rights that not everybody has. */
const canMakeDisks = await (async () => {
  await using disk = await makeSmallDisk(MB);
  return disk !== undefined;
})();
const ignore = !canMakeDisks;

Deno.test("status says that the database takes no writes, and nothing of its try stays", async () => {
  await using place = await makeFilePlace();
  await using gateway = await startGateway({ ...place.env, CPG_WORKER: "false" });
  const { deps } = gateway;
  const databaseUrl = place.env.CPG_DATABASE_URL!;
  const problems = async () =>
    problemsOf(await reportStatus(deps, { waitMs: 1_000, databaseUrl }))
      .filter((problem) => problem.startsWith("The database"));
  const limit = (pages: number) => deps.db.execute([{ sql: `PRAGMA max_page_count = ${pages}` }]);
  assert.deepEqual(await problems(), []);
  await limit(1);
  // What earlier writes left free is used up first.
  const row = "INSERT INTO used_signatures VALUES (hex(randomblob(2000)), 1)";
  await assert.rejects(async () => {
    for (let i = 0; i < 1_000; i++) await deps.db.execute([{ sql: row }]);
  }, /full/);
  const [problem = "", ...more] = await problems();
  assert.match(problem, /^The database takes no writes: the disk of \/.+ is full \(.+ are free\)$/);
  assert.deepEqual(more, []);
  await limit(1_000_000_000);
  assert.deepEqual(await problems(), []);
  const left = await deps.db.query("SELECT * FROM used_signatures WHERE expires_at_ms = 0");
  assert.deepEqual(left, []);
});

Deno.test({
  name: "on a full disk status, doctor and backup say so, with the path and the room",
  ignore,
  fn: async () => {
    await using disk = (await makeSmallDisk(16 * MB))!;
    await using small = (await makeSmallDisk(MB / 2))!;
    const env = {
      CPG_DATABASE_URL: `file:${disk.path}/cpg.db`,
      CPG_MASTER_KEY: "11".repeat(32),
    };
    const run = (...args: string[]) => runProgram(args, env, "-P=cpg");
    assert.equal((await run("migrate")).code, 0);
    const before = await run("doctor");
    assert.match(before.stdout, /^ok +database +.*of this program's version and takes writes$/m);
    await disk.fill();
    const names = disk.names();

    const full = `the disk of ${disk.path} is full (0 bytes are free)`;
    const status = await run("status", "--json");
    assert.equal(status.code, 1);
    const { ok, database, problems } = JSON.parse(status.stdout);
    assert.deepEqual([ok, database, problems[0]], [
      false,
      "takes no writes",
      `The database takes no writes: ${full}`,
    ]);
    const doctor = await run("doctor", "--json");
    assert.equal(doctor.code, 1);
    const { checks } = JSON.parse(doctor.stdout);
    const failed = checks.filter(({ state }: { state: string }) => state === "failed");
    assert.equal(failed.length, 1);
    assert.match(failed[0].message, /^file:.* takes no writes: the disk of .* is full \(0 bytes/);

    const there = await run("backup", `${disk.path}/backup.db`);
    assert.match(there.stderr, sizes(disk.path, "0 bytes"));
    const elsewhere = await run("backup", `${small.path}/backup.db`);
    assert.match(elsewhere.stderr, sizes(small.path, "\\d+\\.\\d kB"));
    assert.deepEqual([there.code, elsewhere.code], [1, 1]);
    assert.deepEqual([disk.names(), small.names()], [names, []]);
  },
});

/** The error's line. */
function sizes(path: string, free: string): RegExp {
  return new RegExp(
    `^error: The disk of ${path} is full \\(${free} are free\\): \\d+\\.\\d MB are needed$`,
    "m",
  );
}

Deno.test({
  name: "a copy that finds the disk full leaves nothing, even where the program may not remove",
  ignore,
  fn: async () => {
    await using place = await makeFilePlace(MIGRATED);
    await using small = (await makeSmallDisk(MB))!;
    // It may not ask how much room there is, so it only finds out while it copies.
    const { code, stderr } = await runProgram(
      ["backup", `${small.path}/backup.db`],
      place.env,
      "-P",
    );
    assert.equal(code, 1);
    const line = new RegExp(
      `^error: The disk of ${small.path} is full: \\d+\\.\\d MB are needed\\n$`,
    );
    assert.match(stderr, line);
    assert.deepEqual(small.names(), []);
  },
});
