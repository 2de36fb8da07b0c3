import assert from "node:assert/strict";
import { backUp, copyWhole, drill, type OpenAt, restore } from "../../../src/restore/back_up.ts";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { wallets } from "../../../src/store/reads/pages/lists.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { isoUtc } from "../../../src/domain/time.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { TABLES } from "../../../src/store/tables/tables.ts";
import { read } from "../../../src/store/engine/workspace.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { NetworkCursors } from "../../../src/following/table.ts";
import { connect, type DatabasePlace } from "../../../src/store/connection/connect.ts";
import { makeFilePlace, makeServerPlace, type Place } from "../../support/database/database.ts";
import { enable, makeMerchant, makeNetwork } from "../../support/gateway.ts";
import { runProgram } from "../../support/programs/program.ts";

const KINDS = { "an embedded file": makeFilePlace, "a database server": makeServerPlace };
const MIGRATED = { isMigrated: true };
const NOWHERE = "http://name:password@127.0.0.1:9";

for (const [from, makeSource] of Object.entries(KINDS)) {
  for (const [to, makeTarget] of Object.entries(KINDS)) {
    Deno.test(`a backup of a busy ${from} is one moment of it, and is restored into ${to}`, async () => {
      await using source = await makeSource(MIGRATED);
      await using target = await makeTarget();
      await using folder = await tempFolder();
      const file = `${folder.path}/a backup?.db`;
      const office = await openGateway(configOf(source.env));
      const { deps } = office;
      const accounts = await fill(deps);
      // More rows than one page has; not all at once, or a slow server refuses the last ones.
      for (let i = 0; i < 21; i++) {
        await Promise.all(Array.from({ length: 50 }, () => adjust(deps, accounts[0]!, "0.1")));
      }
      let isDone = false;
      const writing = (async () => {
        let entries = 0;
        for (; !isDone; entries++) await adjust(deps, accounts[entries % accounts.length]!, "1");
        return entries;
      })();
      const backedUp = await backUp(placeOf(source), { file, openAt }).finally(() => isDone = true);
      assert.ok(await writing > 0);
      assert.deepEqual(backedUp.differences, []);
      const names = [...Deno.readDirSync(folder.path)].map(({ name }) => name);
      assert.deepEqual(names, ["a backup?.db"]);

      const restored = await restore(file, { to: placeOf(target), openAt });
      assert.deepEqual(
        { ...restored, haltedWallets: undefined },
        { ...backedUp, haltedWallets: undefined },
      );
      assert.equal(restored.haltedWallets, accounts.length);
      const again = await openGateway(configOf(target.env));
      const halted = await wallets(again.deps.db, undefined);
      assert.ok(halted.every(({ haltedReason }) => haltedReason?.includes("restored")));
      await sameSums(again.deps.db);
      const before = await rowsOf(deps.db);
      const after = await rowsOf(again.deps.db);
      for (const name of ["accounts", "api_keys", "currencies", "networks", "secrets"]) {
        assert.deepEqual(after[name], before[name], name);
      }
      // No id is given twice.
      const extra = await makeMerchant({ deps: again.deps, url: "" });
      assert.ok(extra.accountId > accounts.length);
      await again.close();
      await assert.rejects(
        restore(file, { to: placeOf(target), openAt }),
        /a database at .* already/,
      );
      await assert.rejects(backUp(placeOf(source), { file, openAt }), /a database at .* already/);
      await office.close();
    });
  }
}

Deno.test("a backup is checked where the database lies: a service may write nowhere else", async () => {
  await using source = await makeFilePlace(MIGRATED);
  await using folder = await tempFolder();
  const [url] = source.env.CPG_DATABASE_URL.split(/[^/]+$/);
  const opened: string[] = [];
  const watched: OpenAt = (place) => {
    opened.push(place.url);
    return openAt(place);
  };
  await backUp(placeOf(source), { file: `${folder.path}/good.db`, openAt: watched });
  const again = `${folder.path}/again.db`;
  const to = { url: `file:${again}` };
  await restore(`${folder.path}/good.db`, { to, openAt: watched });
  const beside = (place: string) => opened.filter((one) => one.startsWith(`${place}drill-`)).length;
  assert.equal(beside(url!), 1);
  assert.equal(beside(`file:${folder.path}/`), 2, "of a restore, beside the new one");
  const names = [...Deno.readDirSync(folder.path)].map(({ name }) => name);
  assert.ok(!names.some((name) => name.startsWith("drill-")));
  assert.equal((await runProgram(["drill", again], source.env)).code, 0);
});

Deno.test("a missing, damaged or truncated backup, or one of another master key, is refused", async () => {
  await using source = await makeFilePlace(MIGRATED);
  await using target = await makeFilePlace();
  await using folder = await tempFolder();
  const file = `${folder.path}/good.db`;
  const office = await openGateway(configOf(source.env));
  await fill(office.deps);
  await office.close();
  await backUp(placeOf(source), { file, openAt });
  const bytes = await Deno.readFile(file);
  const bad = `${folder.path}/bad.db`;
  const damaged = bytes.slice();
  for (let at = 8192; at < damaged.length; at += 4096) damaged.fill(0xa5, at, at + 64);
  for (const content of [damaged, bytes.slice(0, bytes.length / 2), new Uint8Array(0)]) {
    await Deno.writeFile(bad, content);
    await assert.rejects(drill(bad, openAt), /is not an intact backup/);
    await assert.rejects(restore(bad, { to: placeOf(target), openAt }), /is not an intact backup/);
  }
  await assert.rejects(drill(`${folder.path}/none.db`, openAt), /There is no /);
  const openOther: OpenAt = ({ url }) =>
    openGateway(configOf({ CPG_DATABASE_URL: url, CPG_MASTER_KEY: "99".repeat(32) }));
  await assert.rejects(drill(file, openOther), /the master key is not the one/);
  const client = await connect(placeOf(target));
  assert.equal((await client.execute("SELECT 1 FROM sqlite_master")).rows.length, 0);
  client.close();
});

Deno.test("backup, drill and restore run as an operator runs them, and find a wrong balance", async () => {
  await using source = await makeFilePlace(MIGRATED);
  await using target = await makeFilePlace();
  await using folder = await tempFolder();
  const file = `${folder.path}/books.db`;
  const office = await openGateway(configOf(source.env));
  await fill(office.deps);
  await office.close();
  const made = await runProgram(["backup", file, "--json"], source.env);
  assert.equal(made.code, 0, made.stdout + made.stderr);
  const { ok, ledger_entries, secrets } = JSON.parse(made.stdout);
  assert.deepEqual({ ok, ledger_entries, secrets }, { ok: true, ledger_entries: 3, secrets: 5 });
  const restored = await runProgram(["restore", file, "--json"], target.env);
  assert.equal(restored.code, 0, restored.stdout + restored.stderr);
  assert.equal(JSON.parse(restored.stdout).halted_wallets, 3);
  const [created, advice, ...rest] = restored.stderr.split("\n");
  assert.equal(created, `Created the database at ${target.env.CPG_DATABASE_URL}.`);
  assert.match(advice!, /^Payments made after the backup are not in it/);
  assert.deepEqual(rest, [""]);

  const client = await connect({ url: `file:${file}` });
  await client.execute("UPDATE balances SET balance = '12345' WHERE account_id = 2");
  client.close();
  const drilled = await runProgram(["drill", file, "--json"], source.env);
  assert.equal(drilled.code, 1);
  const reported = JSON.parse(drilled.stdout);
  assert.equal(reported.ok, false);
  assert.deepEqual(reported.differences.map((one: { account_id: number }) => one.account_id), [2]);
});

Deno.test("a backup is readable by its owner only, and a refusal leaves no file anywhere", async () => {
  await using source = await makeFilePlace(MIGRATED);
  await using target = await makeFilePlace();
  await using folder = await tempFolder();
  const office = await openGateway(configOf(source.env));
  await fill(office.deps);
  await office.close();
  const file = `${folder.path}/a 'b' 100%.db`;
  const made = await runProgram(["backup", file], source.env);
  assert.equal(made.code, 0, made.stderr);
  assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
  const refused = async (words: string[], env: Record<string, string>, said: RegExp) => {
    const { code, stderr } = await runProgram(words, env);
    assert.equal(code, 1);
    assert.match(stderr, said);
  };
  const none = `${folder.path}/none.db`;
  const otherKey = { ...target.env, CPG_MASTER_KEY: "99".repeat(32) };
  await refused(["drill", none], source.env, /There is no /);
  await refused(["restore", none], target.env, /There is no /);
  const damaged = await Deno.readFile(file);
  for (let at = 8192; at < damaged.length; at += 4096) damaged.fill(0xa5, at, at + 64);
  const bad = `${folder.path}/bad.db`;
  await Deno.writeFile(bad, damaged);
  for (const word of ["drill", "restore"]) {
    await refused([word, bad], target.env, /bad\.db is not an intact backup: SQLITE_CORRUPT/);
  }
  await Deno.remove(bad);
  await refused(["restore", file], otherKey, /the master key is not the one/);
  const wrongKey = { ...source.env, CPG_MASTER_KEY: "99".repeat(32) };
  await refused(["backup", `${folder.path}/b.db`], wrongKey, /the master key is not the one/);
  await refused(["backup", none], target.env, /There is no database at/);
  const nowhere = `${folder.path}/none/backup.db`;
  const noFolder = /^error: Cannot write .*none\/backup\.db: its folder is missing/;
  await refused(["backup", nowhere], source.env, noFolder);
  const names = [...Deno.readDirSync(folder.path)].map(({ name }) => name);
  assert.deepEqual(names, ["a 'b' 100%.db"]);
  const path = target.env.CPG_DATABASE_URL.slice("file:".length);
  await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
  const restored = await runProgram(["restore", file], target.env);
  assert.equal(restored.code, 0, restored.stderr);
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
});

Deno.test("a restore interrupted before its wallets are halted leaves no database", async () => {
  await using source = await makeFilePlace(MIGRATED);
  await using target = await makeFilePlace();
  await using folder = await tempFolder();
  const file = `${folder.path}/good.db`;
  const office = await openGateway(configOf(source.env));
  await fill(office.deps);
  await office.close();
  await backUp(placeOf(source), { file, openAt });
  let opened = 0;
  const stopping: OpenAt = (place) =>
    ++opened === 2 ? Promise.reject(new Error("stopped")) : openAt(place);
  await assert.rejects(restore(file, { to: placeOf(target), openAt: stopping }), /stopped/);
  await assert.rejects(Deno.stat(placeOf(target).url.slice("file:".length)), Deno.errors.NotFound);
});

Deno.test("with a clock behind the backup or the previous restore, nothing is restored", async () => {
  await using source = await makeFilePlace(MIGRATED);
  await using first = await makeFilePlace();
  await using second = await makeFilePlace();
  await using folder = await tempFolder();
  const office = await openGateway(configOf(source.env));
  await fill(office.deps);
  const readAtMs = Date.now() + 1_800_000;
  await office.deps.db.write({
    reads: [read(NetworkCursors, ["ETH"])],
    decide: (view) => {
      const row = view.find(NetworkCursors, ["ETH"])!;
      view.update(NetworkCursors, row, { updatedAtMs: readAtMs });
    },
  });
  await office.close();
  const at = (nowMs: number): OpenAt => (place) =>
    openGateway(configOf(envOf(place)), { clock: { nowMs: () => nowMs } });
  const refuse = async (file: string, to: Place, nowMs: number) => {
    const clock = isoUtc(nowMs).replaceAll("+", "\\+");
    const restoring = restore(file, { to: placeOf(to), openAt: at(nowMs) });
    await assert.rejects(
      restoring,
      new RegExp(`clock says ${clock}, but .*: set the clock right first`),
    );
    await assert.rejects(Deno.stat(placeOf(to).url.slice("file:".length)), Deno.errors.NotFound);
  };
  const file = `${folder.path}/first.db`;
  await backUp(placeOf(source), { file, openAt });
  await refuse(file, first, Date.UTC(2020, 0));
  await refuse(file, first, readAtMs - 1);
  const restoredAtMs = readAtMs + 1_000;
  await restore(file, { to: placeOf(first), openAt: at(restoredAtMs) });
  const again = await openGateway(configOf(first.env));
  const { accountId } = await makeMerchant({ deps: again.deps, url: "" });
  await again.close();
  const later = `${folder.path}/second.db`;
  await backUp(placeOf(first), { file: later, openAt });
  await refuse(later, second, restoredAtMs);
  await refuse(later, second, Date.now() + 60_000);
  await restore(later, { to: placeOf(second), openAt: at(restoredAtMs + 1_000) });
  const { deps, close } = await openGateway(configOf(second.env));
  const { numberedFrom } = await deps.catalog.current();
  assert.ok(accountId > 1_000 && numberedFrom > accountId, `${accountId} ${numberedFrom}`);
  await close();
});

for (const [to, makeTarget] of Object.entries(KINDS)) {
  for (const [from, makeSource] of Object.entries(KINDS)) {
    Deno.test(`a server that started meanwhile at ${to} keeps its books: a copy of ${from} is refused`, async () => {
      await using source = await makeSource(MIGRATED);
      await using target = await makeTarget(MIGRATED);
      const office = await openGateway(configOf(source.env));
      await fill(office.deps);
      await office.close();
      const live = await openGateway(configOf(target.env));
      await fill(live.deps);
      const before = await rowsOf(live.deps.db);
      const place = placeOf(target);
      await assert.rejects(copyWhole(placeOf(source), place), /a database at .* already/);
      if (to === "an embedded file") {
        const path = place.url.slice("file:".length);
        for (const name of [path, `${path}-wal`]) assert.ok((await Deno.stat(name)).isFile, name);
      }
      assert.deepEqual(await rowsOf(live.deps.db), before);
      await live.close();
    });
  }
}

type Deps = Awaited<ReturnType<typeof openGateway>>["deps"];

/** Three merchants with money. */
async function fill(deps: Deps): Promise<number[]> {
  await makeNetwork(deps, { rpcUrls: [NOWHERE] });
  const accounts: number[] = [];
  for (let i = 1; i <= 3; i++) {
    const { accountId } = await makeMerchant({ deps, url: "" }, { name: `Acme "${i}" ž\n` });
    await enable(deps, { accountId, network: "ETH", currency: "ETH" });
    await adjust(deps, accountId, "1000.000000000000000001");
    accounts.push(accountId);
  }
  return accounts;
}

async function adjust(deps: Deps, accountId: number, amount: string): Promise<void> {
  const asset = { accountId, network: "ETH", currency: "ETH" };
  await adjustBalance(deps, { ...asset, amount, note: "test", actor: "test" });
}

/** Read as the auditor would, with no code of the store's. */
async function sameSums(db: Db): Promise<void> {
  const [row] = await db.query(`SELECT count(*) AS wrong FROM balances AS b
WHERE b.balance <> (SELECT balance_after FROM ledger_entries AS e
  WHERE e.account_id = b.account_id ORDER BY id DESC LIMIT 1)`);
  assert.equal(row!.wrong, 0);
}

async function rowsOf(db: Db): Promise<Record<string, object[]>> {
  const inOrder = (rows: object[]) =>
    rows.toSorted((one, other) => JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);
  const all = TABLES.map(async (table) => [table.name, inOrder(await db.rows(table, ""))] as const);
  return Object.fromEntries(await Promise.all(all));
}

function configOf(env: Record<string, string>) {
  return readConfig({ ...env, CPG_LOG_LEVEL: "silent" });
}

const openAt: OpenAt = (place) => openGateway(configOf(envOf(place)));

function envOf({ url, token = "" }: DatabasePlace) {
  return {
    CPG_DATABASE_URL: url,
    CPG_DATABASE_TOKEN: token,
    CPG_MASTER_KEY: "11".repeat(32),
  };
}

function placeOf({ env }: Place) {
  return { url: env.CPG_DATABASE_URL, token: env.CPG_DATABASE_TOKEN || undefined };
}

async function tempFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await Deno.makeTempDir({ prefix: "cpg-backup-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
