import assert from "node:assert/strict";
import { finishRotation, rotateMasterKey } from "../../../src/upkeep/rotate_master_key.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { createApiKey } from "../../../src/access/manage_api_keys.ts";
import { openSeed } from "../../../src/upkeep/open_key_ring.ts";
import { readSealed } from "../../../src/base/secrets/sealed_text.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { type Gateway, openGateway } from "../../../src/app/gateway.ts";
import { TABLES } from "../../../src/store/tables/tables.ts";
import { ENCRYPTED_TABLES } from "../../../src/store/reads/sealed.ts";
import { apiClient } from "../../support/api_client.ts";
import { makePlace, TEST_MASTER_KEY } from "../../support/database/database.ts";
import { makeMerchant, startGateway } from "../../support/gateway.ts";

const NEW_KEY = new Uint8Array(32).fill(0x22);
const NEW_KEY_TEXT = "22".repeat(32);
const ACTOR = "test";
const MAIN = new URL("../../../main.ts", import.meta.url).pathname;
const CONFIG = new URL("../../../deno.json", import.meta.url).pathname;

Deno.test("the master key changes while a gateway serves: no request fails, and the old key opens nothing", async () => {
  await using gateway = await startGateway();
  const { deps: serving } = gateway;
  const { api, accountId } = await makeMerchant(gateway);
  const env = envOf(gateway.config);
  await using office = await open(env, TEST_MASTER_KEY);
  // More than one page of them.
  await Promise.all(Array.from({ length: 205 }, () => makeKey(serving, accountId)));
  let isDone = false;
  const load = (async () => {
    let asked = 0;
    for (; !isDone; asked++) assert.equal((await api.get("/v1/_ping")).status, 200);
    return asked;
  })();
  const phrase = await openSeed(office.deps);
  const { resealed } = await rotateMasterKey(office.deps, { actor: ACTOR, newKey: NEW_KEY });
  assert.equal(resealed, 207, "the seed and 206 API keys");
  const late = await makeKey(serving, accountId);
  assert.equal((await apiClient(gateway.url, late).get("/v1/_ping")).status, 200);
  await assert.rejects(finishRotation(office.deps, { actor: ACTOR }), {
    message: "Set CPG_MASTER_KEY to the new key first: this program still has the old one",
  });
  await using renewed = await open(env, NEW_KEY_TEXT);
  assert.deepEqual(await finishRotation(renewed.deps, { actor: ACTOR }), { resealed: 0 });
  assert.equal(await openSeed(renewed.deps), phrase);
  assert.equal((await api.get("/v1/_ping")).status, 200);
  isDone = true;
  assert.ok(await load > 0);
  await assert.rejects(open(env, TEST_MASTER_KEY), {
    message: "Cannot open the database's secrets: the master key is not the one it was sealed with",
  });
});

/** Commits of a change: hand-over, secrets, API keys; then its end. */
const COMMITS = 4;

for (let commits = 0; commits < COMMITS; commits++) {
  for (const isAnswered of [true, false]) {
    const point = `${isAnswered ? "before" : "in"} commit ${commits + 1} of ${COMMITS}`;
    Deno.test(`a change of the master key that is interrupted ${point} is finished by the next run`, async () => {
      await using place = await makePlace();
      const phrase = await (async () => {
        await using office = await open(place.env, TEST_MASTER_KEY);
        await makeMerchant({ deps: office.deps, url: "" });
        const phrase = await openSeed(office.deps);
        const cut = cutOff(office.deps, { commits, isAnswered });
        const run = (async () => {
          await rotateMasterKey(cut, { actor: ACTOR, newKey: NEW_KEY });
          await finishRotation(cut, { actor: ACTOR, hasNewKey: true });
        })();
        await assert.rejects(run, { message: "cut off" });
        return phrase;
      })();
      const isOver = commits === COMMITS - 1 && !isAnswered;
      if (!isOver) {
        await using again = await open(place.env, TEST_MASTER_KEY);
        assert.equal(await openSeed(again.deps), phrase);
        const { masterKey } = await rotateMasterKey(again.deps, { actor: ACTOR, newKey: NEW_KEY });
        assert.equal(masterKey, NEW_KEY.toBase64(), "the key of the first run");
        await using renewed = await open(place.env, masterKey);
        await finishRotation(renewed.deps, { actor: ACTOR });
      }
      await using renewed = await open(place.env, NEW_KEY_TEXT);
      assert.equal(await openSeed(renewed.deps), phrase);
      await assertSealedByOneKey(renewed.deps);
      await assert.rejects(open(place.env, TEST_MASTER_KEY));
    });
  }
}

Deno.test("a program unaware of the new master key can't leave a secret sealed with the old one", async () => {
  await using place = await makePlace();
  await using office = await open(place.env, TEST_MASTER_KEY);
  await using unaware = await open(place.env, TEST_MASTER_KEY);
  const { accountId } = await makeMerchant({ deps: office.deps, url: "" });
  await rotateMasterKey(office.deps, { actor: ACTOR, newKey: NEW_KEY });
  await assert.rejects(makeKey(unaware.deps, accountId), {
    name: "Unavailable",
    message: "The master key is being changed: try again in a moment",
  });
});

Deno.test("a master key is replaced in its file, the old one is kept, and no key is printed", async () => {
  const folder = await Deno.makeTempDir({ prefix: "cpg-key-" });
  const run = async (args: string[], database = "", key = "") => {
    const { stdout, code } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "-A", "--config", CONFIG, MAIN, ...args, "--json"],
      cwd: folder,
      env: { CPG_DATABASE_URL: database, CPG_MASTER_KEY: key },
      stderr: "null",
    }).output();
    return { code, answer: JSON.parse(new TextDecoder().decode(stdout)) };
  };
  const cpg = async (...args: string[]) => {
    const { code, answer } = await run(args);
    assert.equal(code, 0);
    return answer;
  };
  await cpg("migrate");
  const phrase = await cpg("seed", "show", "--yes");
  const file = `${folder}/data/master.key`;
  const before = await Deno.readTextFile(file);
  const rotated = await cpg("rotate-master-key");
  const { old_key_file: oldFile, ...reported } = rotated;
  assert.deepEqual(reported, { finished: true, resealed: 1, file: "./data/master.key" });
  assert.match(oldFile, /^\.\/data\/master\.key\.old-\d{8}T\d{6}Z$/);
  assert.equal(await Deno.readTextFile(`${folder}/${oldFile}`), before);
  assert.equal((await Deno.stat(`${folder}/${oldFile}`)).mode! & 0o777, 0o600);
  assert.notEqual(await Deno.readTextFile(file), before);
  assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
  assert.deepEqual(await cpg("seed", "show", "--yes"), phrase);
  const names = [...Deno.readDirSync(`${folder}/data`)].map(({ name }) => name);
  const keys = names.filter((name) => name.startsWith("master")).sort();
  assert.deepEqual(keys.map((name) => `./data/${name}`), ["./data/master.key", oldFile]);
  // Of an earlier version: sealed with the common file, from which it parts here.
  const second = "file:./data/second.db";
  const common = await Deno.readTextFile(file);
  assert.equal((await run(["migrate"], second, common.trim())).code, 0);
  const parted = await run(["rotate-master-key"], second);
  assert.equal(parted.answer.file, "./data/second.db.key", JSON.stringify(parted.answer));
  assert.equal(parted.answer.old_key_file, "./data/master.key");
  assert.equal((await Deno.stat(`${folder}/data/second.db.key`)).mode! & 0o777, 0o600);
  assert.equal(await Deno.readTextFile(file), common);
  assert.equal((await run(["seed", "show", "--yes"], second)).code, 0);
  assert.deepEqual(await cpg("seed", "show", "--yes"), phrase, "It opens the first one still");
  await Deno.remove(folder, { recursive: true });
});

Deno.test("the change of the master key knows every column with sealed content", () => {
  for (const { name, columns, encrypted } of TABLES) {
    const named = columns.map(({ field }) => field).filter((field) => /sealed/i.test(field));
    assert.deepEqual(encrypted.map(({ field }) => field).toSorted(), named.toSorted(), name);
  }
});

/** The connection breaks at this commit: before it, or after it was made. */
function cutOff(
  deps: Deps,
  { commits, isAnswered }: { commits: number; isAnswered: boolean },
): Deps {
  let left = commits;
  const write: Deps["db"]["write"] = async (unit) => {
    if (left < 0 || (left === 0 && isAnswered)) throw new Error("cut off");
    const value = await deps.db.write(unit);
    if (left-- === 0) throw new Error("cut off");
    return value;
  };
  return { ...deps, db: { ...deps.db, write } };
}

async function assertSealedByOneKey({ db, vault }: Deps): Promise<void> {
  for (const table of ENCRYPTED_TABLES) {
    for (const row of await db.rows(table, "")) {
      for (const { field, contextOf } of table.encrypted) {
        const text = (row as Record<string, string>)[field]!;
        assert.equal(readSealed(text).keyId, vault.keyId(), contextOf(row));
        assert.ok(await vault.open(text, contextOf(row)));
      }
    }
  }
}

async function makeKey(deps: Deps, accountId: number) {
  const made = await createApiKey(deps, {
    accountId,
    label: "late",
    permissions: ["read_balance"],
    ipList: [],
    rateLimit: 600,
    actor: ACTOR,
  });
  return { keyId: made.row.keyId, secret: made.secret };
}

async function open(
  env: Record<string, string>,
  masterKey: string,
): Promise<Gateway & AsyncDisposable> {
  const config = readConfig({ ...env, CPG_MASTER_KEY: masterKey, CPG_LOG_LEVEL: "silent" });
  const gateway = await openGateway(config);
  return { ...gateway, [Symbol.asyncDispose]: () => gateway.close() };
}

function envOf(
  { databaseUrl, databaseToken = "" }: { databaseUrl: string; databaseToken: string | undefined },
) {
  return { CPG_DATABASE_URL: databaseUrl, CPG_DATABASE_TOKEN: databaseToken };
}
