import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { move } from "../../../src/restore/move.ts";
import type { OpenAt } from "../../../src/restore/back_up.ts";
import { connect } from "../../../src/store/connection/connect.ts";
import type { DatabasePlace } from "../../../src/store/connection/connect.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { TABLES } from "../../../src/store/tables/tables.ts";
import { makeFilePlace, makeServerPlace, type Place } from "../../support/database/database.ts";
import { startSqld } from "../../support/database/sqld.ts";
import { enable, makeMerchant, makeNetwork, startGateway } from "../../support/gateway.ts";
import { hasProgram } from "../../support/programs/needed.ts";
import { runProgram } from "../../support/programs/program.ts";
import { COMMANDS } from "../../support/programs/commands.ts";

const MIGRATED = { isMigrated: true };
const NAME = "Acme of the move";
const MASTER_KEY = "11".repeat(32);
const MOVED = /This database was moved to http/;
/** More than one page has. */
const ENTRIES = 1_050;

Deno.test("a database is moved from its file to a server, whole, and the file is served no more", async () => {
  await using source = await makeFilePlace(MIGRATED);
  await using target = await makeServerPlace();
  const before = await fill(source, ENTRIES);
  await addLongRows(source);
  const env = { ...source.env, CPG_DATABASE_TOKEN: target.env.CPG_DATABASE_TOKEN };
  const to = target.env.CPG_DATABASE_URL;
  const moved = await runProgram(["move", "--to", to, "--json"], env);
  assert.equal(moved.code, 0, moved.stdout + moved.stderr);
  const { kept_file: kept, ...answer } = JSON.parse(moved.stdout);
  assert.equal(answer.to, to);
  assert.equal(answer.ledger_entries, ENTRIES);
  assert.ok(answer.rows > ENTRIES && answer.tables >= TABLES.length, moved.stdout);
  assert.match(
    moved.stderr,
    /^Set CPG_DATABASE_URL=http:\S+, CPG_DATABASE_TOKEN and CPG_MASTER_KEY/,
  );
  assert.match(moved.stderr, /is kept as \S+, and takes no writes any more\.\n$/);

  const there = await openGateway(configOf(target.env));
  assert.deepEqual(await rowsOf(there.deps.db), before);
  // What is written there goes on where the file ended.
  const { accountId } = await makeMerchant({ deps: there.deps, url: "" });
  assert.equal(accountId, 2);
  await there.close();

  const served = await runProgram(["serve"], source.env);
  assert.equal(served.code, 1);
  assert.match(
    served.stderr,
    /There is no database at .*, but cpg\.db\.moved-\S+ is in its folder/,
  );
  const keptEnv = { ...source.env, CPG_DATABASE_URL: `file:${kept}` };
  const back = await openGateway(configOf(keptEnv));
  assert.equal((await back.deps.db.query("SELECT id FROM accounts")).length, 1);
  await assert.rejects(adjust(back.deps, 1), MOVED);
  await back.close();
  const again = await runProgram(["serve"], keptEnv);
  assert.equal(again.code, 1);
  assert.match(again.stderr, MOVED);
  // Like any backup: its wallets sign nothing until somebody has looked.
  const restored = `file:${kept.replace("cpg.db", "restored.db")}`;
  const shown = await runProgram(["restore", kept], {
    ...source.env,
    ...{ CPG_DATABASE_URL: restored, CPG_MASTER_KEY: MASTER_KEY },
  });
  assert.equal(shown.code, 0, shown.stderr);
});

Deno.test("what a program writes that had the file open is refused, not lost", async () => {
  await using source = await makeFilePlace(MIGRATED);
  await using target = await makeServerPlace();
  await fill(source, 1);
  const beside = await openGateway(configOf(source.env));
  await adjust(beside.deps, 1);
  const { ledgerEntries } = await move(placeOf(source), { to: placeOf(target), openAt });
  assert.equal(ledgerEntries, 2);
  await assert.rejects(adjust(beside.deps, 1), MOVED);
  await beside.close();
});

for (const isWritten of [false, true]) {
  const what = isWritten ? "written but not answered" : "lost";
  Deno.test(`when the last rows of a move are ${what}, never both databases take writes`, async () => {
    await using source = await makeFilePlace(MIGRATED);
    await using sqld = await startSqld();
    await fill(source, 1);
    let isBroken = true;
    const between = { url: sqld.url };
    await using server = startBetween(between, async (body, send) => {
      const isLast = isBroken && body.includes("INSERT INTO schema_migrations");
      if (!isLast || isWritten) await send();
      return isLast;
    });
    const to = { url: server.url };
    await assert.rejects(move(placeOf(source), { to, openAt }));
    const still = await openGateway(configOf(source.env));
    await assert.rejects(adjust(still.deps, 1), MOVED);
    await still.close();
    isBroken = false;
    const again = move(placeOf(source), { to, openAt });
    if (isWritten) {
      await assert.rejects(again, /This database was moved to \S+, and is there now/);
      return;
    }
    await assert.rejects(again, /is part of a copy that was interrupted/);
    await using other = await startSqld();
    const elsewhere = move(placeOf(source), { to: { url: other.url }, openAt });
    await assert.rejects(elsewhere, /This database was moved to/, "only where nothing is by now");
    // As if its folder had been removed.
    between.url = other.url;
    assert.equal((await move(placeOf(source), { to, openAt })).ledgerEntries, 1);
  });
}

Deno.test("while a server runs on it, a database isn't moved, and the target stays empty", async () => {
  await using source = await makeFilePlace(MIGRATED);
  await using target = await makeServerPlace();
  await fill(source, 1);
  await using gateway = await startGateway({ ...source.env, CPG_WORKER: "false" });
  const env = { ...source.env, CPG_DATABASE_TOKEN: target.env.CPG_DATABASE_TOKEN };
  const refused = await runProgram(["move", "--to", target.env.CPG_DATABASE_URL], env);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^error: Another gateway is already serving \S+: stop it first/);
  assert.equal((await fetch(`${gateway.url}/readyz`)).status, 200);
  assert.deepEqual(await namesAt(placeOf(target)), []);
});

Deno.test("a move that was interrupted has changed nothing, and its target is refused until it is empty", async () => {
  await using source = await makeFilePlace(MIGRATED);
  await using target = await makeServerPlace();
  const before = await fill(source, 1);
  for (const at of ["copied", "compared"] as const) {
    await using partly = await makeServerPlace();
    const stop = (rows: { copied?: number; compared?: number }) => {
      if ((rows[at] ?? 0) > 3) throw new Error("interrupted");
    };
    const moving = { to: placeOf(partly), openAt, onRows: stop, onCompared: stop };
    await assert.rejects(move(placeOf(source), moving), /interrupted/);
    await assert.rejects(
      move(placeOf(source), { to: placeOf(partly), openAt }),
      /is part of a copy that was interrupted, which nothing has used: empty it/,
    );
    // Nothing takes it for a database of ours.
    const { code, stderr } = await runProgram(["account", "list"], partly.env);
    assert.equal(code, 1, stderr);
    const still = await openGateway(configOf(source.env));
    assert.deepEqual(await rowsOf(still.deps.db), before);
    await still.close();
  }
  const taken = await makeServerPlace(MIGRATED);
  await assert.rejects(
    move(placeOf(source), { to: placeOf(taken), openAt }),
    /There is a database at \S+ already/,
  );
  await taken.remove();
  const { rows } = await move(placeOf(source), { to: placeOf(target), openAt });
  assert.ok(rows > 0);
});

Deno.test("what arrives otherwise than it was sent is noticed, and the file stays in use", async () => {
  await using source = await makeFilePlace(MIGRATED);
  const before = await fill(source, 1);
  await using sqld = await startSqld();
  await using changing = startBetween(sqld, async (body, send) => {
    await send(body.replace(NAME, NAME.toUpperCase()));
    return false;
  });
  await assert.rejects(
    move(placeOf(source), { to: { url: changing.url }, openAt }),
    /^OtherRows: What arrived in accounts is not what was sent, so the copy is not used$/,
  );
  const still = await openGateway(configOf(source.env));
  assert.deepEqual(await rowsOf(still.deps.db), before);
  await still.close();
});

Deno.test("books that somebody else changed aren't moved, and a file isn't moved to a file", async () => {
  await using source = await makeFilePlace(MIGRATED);
  await using target = await makeServerPlace();
  await fill(source, 1);
  const client = await connect(placeOf(source));
  await client.execute("UPDATE balances SET balance = '12345'");
  client.close();
  await assert.rejects(
    move(placeOf(source), { to: placeOf(target), openAt }),
    /or somebody else has written there: nothing was moved/,
  );
  assert.deepEqual(await namesAt(placeOf(target)), []);
  const still = await openGateway(configOf(source.env));
  await still.close();
  const { code, stderr } = await runProgram(["move", "--to", "file:./data/b.db"], source.env);
  assert.equal(code, 2);
  assert.match(stderr, /--to "file:\S+" is not the address of a libSQL server/);
  assert.ok(COMMANDS.some(({ words, here }) => words[0] === "move" && here !== undefined));
});

Deno.test({
  name: "a server with the key of the document takes its token, and nobody without",
  ignore: !await hasProgram("openssl"),
  fn: async () => {
    const folder = await Deno.makeTempDir({ prefix: "cpg-token-" });
    const operate = await Deno.readTextFile(new URL("../../../docs/operate.md", import.meta.url));
    const [, recipe] = /<!-- not run: sqld -->\n\n```sh\n(part\(\)[^`]*)```/.exec(operate)!;
    const { stdout } = await new Deno.Command("sh", {
      args: ["-euc", `${recipe}printf %s "$CPG_DATABASE_TOKEN"`],
      cwd: folder,
    }).output();
    const token = new TextDecoder().decode(stdout);
    await using sqld = await startSqld({ args: ["--auth-jwt-key-file", `${folder}/sqld.pem`] });
    assert.deepEqual(await namesAt({ url: sqld.url, token }), []);
    await assert.rejects(namesAt({ url: sqld.url }), /AUTH|401/);
    await assert.rejects(
      namesAt({ url: sqld.url, token: `${token.slice(0, -9)}AAAAAAAAA` }),
      /AUTH|401/,
    );
    await Deno.remove(folder, { recursive: true });
  },
});

/** A server in between; `pass` says whether the answer gets lost. */
function startBetween(
  server: { readonly url: string },
  pass: (body: string, send: (body?: string) => Promise<void>) => Promise<boolean>,
) {
  const between = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      // Without it the client speaks JSON.
      if (pathname.startsWith("/v3")) return new Response(null, { status: 404 });
      const { method, headers } = request;
      const body = await request.text();
      let answer = new Response(null, { status: 500 });
      const isLost = await pass(body, async (sent = body) => {
        answer = await fetch(`${server.url}${pathname}`, {
          method,
          headers,
          ...sent ? { body: sent } : {},
        });
      });
      if (!isLost) return answer;
      await answer.body?.cancel();
      return new Response(null, { status: 500 });
    },
  );
  return {
    url: `http://127.0.0.1:${between.addr.port}`,
    [Symbol.asyncDispose]: () => between.shutdown(),
  };
}

/** A thousand of them are more than a server takes at once. */
async function addLongRows(place: Place): Promise<void> {
  const client = await connect(placeOf(place));
  await client.execute(
    "CREATE TABLE long_rows (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT",
  );
  await client.execute(
    `WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < 1100)
INSERT INTO long_rows (id, text) SELECT id, hex(randomblob(5000)) FROM ids`,
  );
  client.close();
}

/** A merchant with money; returns all rows. */
async function fill(place: Place, entries: number): Promise<Record<string, object[]>> {
  const { deps, close } = await openGateway(configOf(place.env));
  await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:9"] });
  const { accountId } = await makeMerchant({ deps, url: "" }, { name: NAME });
  await enable(deps, { accountId, network: "ETH", currency: "ETH" });
  await Promise.all(Array.from({ length: entries }, () => adjust(deps, accountId)));
  const rows = await rowsOf(deps.db);
  await close();
  return rows;
}

async function adjust(deps: Deps, accountId: number): Promise<void> {
  const asset = { accountId, network: "ETH", currency: "ETH" };
  await adjustBalance(deps, { ...asset, amount: "0.1", note: 'it\'s "ž"', actor: "test" });
}

async function rowsOf(db: Db): Promise<Record<string, object[]>> {
  const inOrder = (rows: object[]) =>
    rows.toSorted((one, other) => JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);
  // The check has noted there how far the ledger adds up.
  const compared = TABLES.filter(({ name }) => name !== "ledger_checks");
  const all = compared.map(async (table) =>
    [table.name, inOrder(await db.rows(table, ""))] as const
  );
  return Object.fromEntries(await Promise.all(all));
}

async function namesAt(place: DatabasePlace): Promise<unknown[]> {
  const client = await connect(place);
  const { rows } = await client.execute("SELECT name FROM sqlite_master");
  client.close();
  return rows;
}

function configOf(env: Record<string, string>) {
  return readConfig({ ...env, CPG_LOG_LEVEL: "silent" });
}

const openAt: OpenAt = ({ url, token = "" }) =>
  openGateway(
    configOf({ CPG_DATABASE_URL: url, CPG_DATABASE_TOKEN: token, CPG_MASTER_KEY: MASTER_KEY }),
  );

function placeOf({ env }: Place): DatabasePlace {
  return { url: env.CPG_DATABASE_URL, token: env.CPG_DATABASE_TOKEN || undefined };
}
