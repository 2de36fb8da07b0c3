import assert from "node:assert/strict";
import { Currencies, Networks } from "../../../src/networks/table.ts";
import { createCatalogSource } from "../../../src/store/engine/catalog.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { read } from "../../../src/store/engine/workspace.ts";
import { AT_MS, testOnBoth } from "../databases.ts";
import { makeCurrency, makeNetwork } from "../reads/make_rows.ts";

const addNetwork = (db: Db, code: string) =>
  db.write({ reads: [], decide: (view) => view.insertKeyed(Networks, makeNetwork(code, null)) });

/** Counts what reaches the database. */
function counting(db: Db): { db: Db; queries: () => number } {
  let queries = 0;
  const counted = <T extends unknown[], R>(ask: (...args: T) => R) => (...args: T): R => {
    queries++;
    return ask(...args);
  };
  return {
    db: { ...db, query: counted(db.query), rows: counted(db.rows) as Db["rows"] },
    queries: () => queries,
  };
}

testOnBoth(
  "networks and currencies are found with codes in any case, and no others",
  async (database) => {
    const db = await database.open();
    await addNetwork(db, "ETH");
    await addNetwork(db, "TRX");
    const token = "0xdAC17F958D2ee523a2206206994597C13D831ec7";
    await db.write({
      reads: [],
      decide: (view) => {
        view.insertKeyed(Currencies, makeCurrency("ETH", null));
        view.insertKeyed(Currencies, makeCurrency("USDT", token));
      },
    });
    const catalog = await createCatalogSource(db, { nowMs: () => AT_MS }).current();
    assert.deepEqual(["ETH", "eth", "eTh"].map((code) => catalog.network(code)?.code), [
      "ETH",
      "ETH",
      "ETH",
    ]);
    assert.equal(catalog.currency("eth", "usdt")?.symbol, "USDT");
    assert.equal(catalog.currencyByContract("ETH", token.toLowerCase())?.symbol, "USDT");
    assert.equal(catalog.currencyByContract("ETH", null)?.symbol, "ETH");
    assert.equal(catalog.network("BTC"), undefined);
    assert.equal(catalog.currency("TRX", "USDT"), undefined);
    assert.equal(catalog.currencyByContract("TRX", null), undefined);
    assert.deepEqual(catalog.currencies.map(({ symbol }) => symbol), ["ETH", "USDT"]);
  },
);

testOnBoth("a change by this program is seen by its very next look", async (database) => {
  const db = await database.open();
  const source = createCatalogSource(db, { nowMs: () => AT_MS });
  assert.equal((await source.current()).network("ETH"), undefined);
  await addNetwork(db, "ETH");
  assert.equal((await source.current()).network("ETH")?.isActive, false);
  await db.write({
    reads: [read(Networks, ["ETH"])],
    decide: (view) => view.update(Networks, view.find(Networks, ["ETH"])!, { isActive: true }),
  });
  assert.equal((await source.current()).network("ETH")?.isActive, true);
});

testOnBoth(
  "a change by this program is seen by a look that began before an older look had ended",
  async (database) => {
    const db = await database.open();
    let nowMs = AT_MS;
    const source = createCatalogSource(db, { nowMs: () => nowMs });
    for (let i = 0; i < 20; i++) {
      nowMs += 1000;
      const older = source.current();
      await addNetwork(db, `N${i}`);
      assert.ok((await source.current()).network(`N${i}`), `round ${i}`);
      await older;
    }
  },
);

testOnBoth("contract 6: a change by another program is seen within a second", async (database) => {
  const db = await database.open();
  const other = await database.open();
  let nowMs = AT_MS;
  const source = createCatalogSource(db, { nowMs: () => nowMs });
  await source.current();
  await addNetwork(other, "ETH");
  nowMs += 999;
  assert.equal((await source.current()).network("ETH")?.code, "ETH");
});

testOnBoth("looks in quick succession cost the database nothing", async (database) => {
  const { db, queries } = counting(await database.open());
  let nowMs = AT_MS;
  const source = createCatalogSource(db, { nowMs: () => nowMs });
  await source.current();
  const before = queries();
  await Promise.all(Array.from({ length: 100 }, () => source.current()));
  assert.equal(queries(), before);
  nowMs += 60_000;
  await Promise.all(Array.from({ length: 100 }, () => source.current()));
  assert.equal(queries(), before + 1);
});

testOnBoth("a clock that steps back doesn't freeze the catalogue", async (database) => {
  const db = await database.open();
  const other = await database.open();
  let nowMs = AT_MS;
  const source = createCatalogSource(db, { nowMs: () => nowMs });
  await source.current();
  nowMs -= 3_600_000;
  await addNetwork(other, "ETH");
  assert.equal((await source.current()).network("ETH")?.code, "ETH");
});

testOnBoth("a look that failed is followed by one that answers", async (database) => {
  const db = await database.open();
  await addNetwork(db, "ETH");
  let fails = true;
  const flaky: Db = {
    ...db,
    query: (sql, args) => fails ? Promise.reject(new Error("down")) : db.query(sql, args),
  };
  const source = createCatalogSource(flaky, { nowMs: () => AT_MS });
  await assert.rejects(source.current(), /down/);
  fails = false;
  assert.equal((await source.current()).network("ETH")?.code, "ETH");
});
