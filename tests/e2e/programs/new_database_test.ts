import assert from "node:assert/strict";
import type { Answer } from "../../cli/cli_host.ts";
import { makeDatabaseFolder } from "../../support/database/folder.ts";
import { runHere, runProgram } from "../../support/programs/program.ts";

const SOMEBODY = 4242;

const at = (file: string) => ({ CPG_DATABASE_URL: `file:${file}`, CPG_MASTER_KEY: "" });

async function namesIn(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).toSorted();
}

Deno.test("contract 1: a key file is made beside its database, and serves no other one", async () => {
  const folder = await makeDatabaseFolder("cpg-new-");
  // With the permissions of deno.json, which allow this folder to the database engine only.
  const first = await runProgram(["migrate"], at(`${folder}/cpg.db`));
  assert.equal(first.code, 0, first.stderr);
  const made = `Created the database at file:${folder}/cpg.db, and the master key at ` +
    `${folder}/master.key.\n`;
  assert.equal(first.stderr, made);
  const key = await Deno.readTextFile(`${folder}/master.key`);
  assert.equal((await Deno.stat(`${folder}/master.key`)).mode! & 0o777, 0o600);
  assert.equal((await Deno.stat(`${folder}/cpg.db`)).mode! & 0o777, 0o600);
  const second = await runHere(["migrate"], at(`${folder}/shop.db`));
  assert.equal(second.code, 0, second.stderr);
  assert.notEqual(await Deno.readTextFile(`${folder}/shop.db.key`), key);
  const rotated = await runProgram(["rotate-master-key", "--json"], at(`${folder}/shop.db`));
  const { file, old_key_file: oldFile } = JSON.parse(rotated.stdout);
  assert.equal(file, `${folder}/shop.db.key`, rotated.stderr);
  assert.match(oldFile, /\/shop\.db\.key\.old-\d{8}T\d{6}Z$/);
  assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
  assert.equal(await Deno.readTextFile(`${folder}/master.key`), key);
  const seed = await runProgram(["doctor"], at(`${folder}/shop.db`));
  assert.match(seed.stdout, /ok +key file +only this user can read .*\/shop\.db\.key\n/);
  assert.match(seed.stdout, /ok +master key +it opens the database\n/);
  const left = (await namesIn(folder)).filter((name) => !/^(cpg|shop)\.db(-wal|-shm)?$/.test(name));
  assert.deepEqual(left, ["master.key", "shop.db.key", oldFile.slice(folder.length + 1)]);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("contract 1: serve doesn't create a database beside another one, and asks for migrate", async () => {
  const folder = await makeDatabaseFolder("cpg-new-");
  assert.equal((await runHere(["migrate"], at(`${folder}/cpg.db`))).code, 0);
  const { code, stderr } = await runProgram(["serve"], at(`${folder}/cgp.db`));
  assert.equal(code, 1);
  assert.equal(
    stderr,
    `error: There is no database at file:${folder}/cgp.db, but cpg.db is in its folder: check ` +
      'CPG_DATABASE_URL; if you want a second one, "migrate" creates it\n',
  );
  // The first one's side files go away when it is closed, which may take a moment.
  const names = (await namesIn(folder)).filter((name) => !/-(shm|wal)$/.test(name));
  assert.deepEqual(names, ["cpg.db", "master.key"]);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a key file that may be a renamed database's isn't a new one's, in any folder", async () => {
  const folder = await makeDatabaseFolder("cpg-new-");
  assert.equal((await runProgram(["migrate"], at(`${folder}/cpg.db`))).code, 0);
  await Deno.rename(`${folder}/cpg.db`, `${folder}/old.db`);
  const refused = await runProgram(["migrate"], at(`${folder}/cpg.db`));
  assert.equal(
    refused.stderr,
    `error: ${folder}/master.key may be the key of old.db, and one key serves one database: if it ` +
      `is, rename it to ${folder}/old.db.key, and if not, set CPG_MASTER_KEY="$(cat ` +
      `${folder}/master.key)"\n`,
  );
  await Deno.rename(`${folder}/master.key`, `${folder}/old.db.key`);
  const made = await runProgram(["migrate"], at(`${folder}/cpg.db`));
  assert.equal(made.code, 0, made.stderr);
  const keys = ["master.key", "old.db.key"].map((name) => Deno.readTextFile(`${folder}/${name}`));
  assert.equal(new Set(await Promise.all(keys)).size, 2);
  assert.equal((await runProgram(["migrate"], at(`${folder}/old.db`))).code, 0);
  await Deno.remove(folder, { recursive: true });
});

Deno.test({
  name:
    "a database of another user is neither updated nor served by root, who leaves no files there",
  ignore: Deno.uid() !== 0,
  fn: async () => {
    const folder = await makeDatabaseFolder("cpg-new-");
    assert.equal((await runHere(["migrate"], at(`${folder}/cpg.db`))).code, 0);
    for (const name of await namesIn(folder)) await Deno.chown(`${folder}/${name}`, SOMEBODY, null);
    const before = await namesIn(folder);
    for (const words of [["migrate"], ["serve"]]) {
      const { code, stderr } = await runProgram(words, at(`${folder}/cpg.db`));
      assert.equal(code, 1);
      assert.match(
        stderr,
        new RegExp(`error: ${folder}/cpg.db belongs to uid ${SOMEBODY}, .* run it`),
      );
    }
    assert.deepEqual(await namesIn(folder), before);
    await Deno.remove(folder, { recursive: true });
  },
});

Deno.test({
  name: "a database that would be another user's is not created, and its folder stays empty",
  ignore: Deno.uid() !== 0,
  fn: async () => {
    const folder = await makeDatabaseFolder("cpg-new-");
    await Deno.chown(folder, SOMEBODY, SOMEBODY);
    for (const words of [["migrate"], ["serve"]]) {
      const { code, stderr } = await runHere(words, at(`${folder}/data/cpg.db`));
      assert.equal(code, 1);
      assert.match(stderr, new RegExp(`error: ${folder} belongs to uid ${SOMEBODY}, who couldn't`));
    }
    assert.deepEqual(await namesIn(folder), []);
    await Deno.remove(folder, { recursive: true });
  },
});

Deno.test("every unknown variable that begins with CPG_ is reported, also with few permissions", async () => {
  const env = { ...at("./data/none.db"), CPG_FOO: "1", CPG_PUBLIC_URL: "http://pay.example.com" };
  const { stdout } = await runProgram(["doctor", "--json"], env);
  const warned = JSON.parse(stdout).checks.filter((one: Answer) => one.state === "warning");
  assert.match(warned[0].message, /^CPG_FOO is not a CPG setting and is ignored/);
  assert.match(warned[1].message, /^CPG_PUBLIC_URL begins with http:/);
});
