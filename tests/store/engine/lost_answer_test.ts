import assert from "node:assert/strict";
import { Accounts } from "../../../src/accounts/tables/accounts.ts";
import { LedgerEntries } from "../../../src/books/table.ts";
import { Networks } from "../../../src/networks/table.ts";
import { type Db, openDb } from "../../../src/store/engine/db.ts";
import { migrate } from "../../../src/store/upkeep/migrate.ts";
import { AT_MS, MIGRATIONS } from "../databases.ts";
import { addition, balanceOf, bookFault, makeAccount } from "../ledger.ts";
import { accountFields, makeNetwork } from "../reads/make_rows.ts";
import { type Cut, startTcpProxy, type TcpProxy } from "../tcp_proxy.ts";
import { startSqld } from "../../support/database/sqld.ts";

const SCHEMES = ["http", "ws"] as const;
/** More pieces than a unit's requests and replies have, so each moment is cut once. */
const PIECES_MAX = 12;
const LOCAL = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
const JSON_TYPE = { "content-type": "application/json" };

interface Line extends AsyncDisposable {
  /** Through the proxy. */
  readonly db: Db;
  /** Directly. */
  readonly direct: Db;
  readonly proxy: TcpProxy;
}

async function makeLine(scheme: typeof SCHEMES[number]): Promise<Line> {
  const sqld = await startSqld();
  const proxy = startTcpProxy(sqld.port);
  const direct = await openDb({ url: sqld.url });
  await migrate(direct, { migrations: MIGRATIONS, nowMs: AT_MS });
  const db = await openDb({ url: `${scheme}://127.0.0.1:${proxy.port}` });
  return {
    db,
    direct,
    proxy,
    [Symbol.asyncDispose]: async () => {
      await db.close();
      await direct.close();
      await proxy[Symbol.asyncDispose]();
      await sqld[Symbol.asyncDispose]();
    },
  };
}

for (const scheme of SCHEMES) {
  for (const side of ["reply", "request"] as const) {
    Deno.test(`over ${scheme}, a write whose connection dies with any ${side} is committed exactly once`, async () => {
      await using line = await makeLine(scheme);
      const { db, direct, proxy } = line;
      const accountId = await makeAccount(db);
      const cuts: Cut[] = Array.from({ length: PIECES_MAX }, (_, after) => ({ side, after }));
      let made = 0n;
      let cutCount = 0;
      for (const cut of cuts) {
        proxy.arm(cut);
        const sums = await Promise.all([
          db.write(addition(accountId)),
          db.write(addition(accountId)),
        ]);
        made += 2n;
        if (proxy.isCut()) cutCount++;
        assert.deepEqual(sums, [made - 1n, made], `after ${cut.after} pieces`);
        assert.equal(await balanceOf(direct, accountId), made, `after ${cut.after} pieces`);
      }
      assert.ok(cutCount >= 2, `${cutCount} connections died`);
      assert.equal(await bookFault(direct, accountId), undefined);
      assert.equal((await direct.rows(LedgerEntries, "")).length, Number(made));
    });
  }

  Deno.test(`over ${scheme}, a unit returns the row in the database, whatever reply was lost`, async () => {
    await using line = await makeLine(scheme);
    const { db, direct, proxy } = line;
    for (let after = 0; after < PIECES_MAX; after++) {
      proxy.arm({ side: "reply", after });
      const row = await db.write({
        reads: [],
        decide: (view) => view.insert(Accounts, accountFields({ name: crypto.randomUUID() })),
      });
      assert.deepEqual(await direct.find(Accounts, [row.id]), row, `after ${after} pieces`);
    }
    assert.equal((await direct.rows(Accounts, "")).length, PIECES_MAX);
  });

  Deno.test(`over ${scheme}, lost answers and another writer together neither lose nor repeat a write`, async () => {
    await using line = await makeLine(scheme);
    const { db, direct, proxy } = line;
    const accountId = await makeAccount(db);
    for (let after = 0; after < PIECES_MAX; after++) {
      proxy.arm({ side: "reply", after });
      await Promise.all([
        db.write(addition(accountId, 1n)),
        direct.write(addition(accountId, 1000n)),
        direct.write(addition(accountId, 1000n)),
      ]);
      await direct.write(addition(accountId, 1000n));
    }
    assert.equal(await balanceOf(direct, accountId), BigInt(PIECES_MAX * 3001));
    assert.equal(await bookFault(direct, accountId), undefined);
  });

  Deno.test(`over ${scheme}, reads whose connection dies are answered all the same`, async () => {
    await using line = await makeLine(scheme);
    const { db, proxy } = line;
    const accountId = await makeAccount(db);
    for (const side of ["request", "reply"] as const) {
      for (let after = 0; after < 4; after++) {
        proxy.arm({ side, after });
        const [row, rows, found] = await Promise.all([
          db.find(Accounts, [accountId]),
          db.rows(Accounts, ""),
          db.query("SELECT name FROM accounts"),
        ]);
        assert.equal(row?.name, "Acme");
        assert.equal(rows.length, 1);
        assert.equal(found[0]!.name, "Acme");
      }
    }
  });

  Deno.test(`over ${scheme}, a change of configuration is counted even if its answer was lost`, async () => {
    await using line = await makeLine(scheme);
    const { db, proxy } = line;
    for (let after = 0; after < PIECES_MAX; after++) {
      const before = db.configWrites();
      proxy.arm({ side: "reply", after });
      await db.write({
        reads: [],
        decide: (view) => view.insertKeyed(Networks, makeNetwork(`N${after}`, null)),
      });
      assert.ok(db.configWrites() > before, `after ${after} pieces`);
    }
  });
}

for (
  const [what, unreadable] of [
    ["a gateway's error in JSON", { status: 504, body: '{"message":"upstream request timeout"}' }],
    ["a page that is no JSON", { status: 200, body: "<html>" }],
    ["JSON of another shape", { status: 200, body: '{"results":7}' }],
  ] as const
) {
  Deno.test(`a committed group isn't applied again if its answer became ${what}`, async () => {
    await using sqld = await startSqld();
    const direct = await openDb({ url: sqld.url });
    await migrate(direct, { migrations: MIGRATIONS, nowMs: AT_MS });
    const accountId = await makeAccount(direct);
    let isArmed = true;
    const server = Deno.serve(LOCAL, async (request) => {
      const { pathname } = new URL(request.url);
      const { method } = request;
      const sent = method === "POST" ? await request.text() : null;
      const reply = await fetch(sqld.url + pathname, { method, headers: JSON_TYPE, body: sent });
      const body = await reply.text();
      if (!isArmed || !sent?.includes("UPDATE write_clock")) {
        return new Response(body, { status: reply.status, headers: JSON_TYPE });
      }
      isArmed = false;
      return new Response(unreadable.body, { status: unreadable.status, headers: JSON_TYPE });
    });
    const db = await openDb({ url: `http://127.0.0.1:${server.addr.port}` });
    const sums = await Promise.all([
      db.write(addition(accountId)),
      db.write(addition(accountId)),
    ]);
    assert.equal(isArmed, false);
    assert.deepEqual(sums, [1n, 2n]);
    assert.equal(await balanceOf(direct, accountId), 2n);
    assert.equal(await bookFault(direct, accountId), undefined);
    await db.close();
    await direct.close();
    await server.shutdown();
  });
}

Deno.test("a server that is killed and comes back has every answered write, and none twice", async () => {
  await using sqld = await startSqld();
  const db = await openDb({ url: sqld.url });
  await migrate(db, { migrations: MIGRATIONS, nowMs: AT_MS });
  const accountId = await makeAccount(db);
  let answered = 0;
  let asked = 0;
  for (let kill = 0; kill < 4; kill++) {
    const until = asked + 40;
    const workers = Array.from({ length: 4 }, async () => {
      while (asked < until) {
        asked++;
        await db.write(addition(accountId));
        answered++;
      }
    });
    await db.write(addition(accountId));
    asked++;
    answered++;
    await sqld.kill();
    await sqld.restart();
    await Promise.all(workers);
  }
  assert.equal(answered, asked);
  assert.equal(await balanceOf(db, accountId), BigInt(asked));
  assert.equal(await bookFault(db, accountId), undefined);
  await db.close();
});
