import assert from "node:assert/strict";
import { Accounts } from "../../../src/accounts/tables/accounts.ts";
import { type BalanceRow, Balances } from "../../../src/books/table.ts";
import type { Connection } from "../../../src/store/connection/connection.ts";
import { CoalescedReads } from "../../../src/store/engine/coalesced_reads.ts";
import { UsedSignatures } from "../../../src/store/tables/signatures.ts";
import { Addresses } from "../../../src/wallets/tables/addresses.ts";
import { type TestDatabase, testOnBoth } from "../databases.ts";
import { accountFields, HARD_TEXTS } from "./make_rows.ts";
import { SAMPLES } from "./sample_rows.ts";

const MANY = 1200;

async function fill(database: TestDatabase) {
  const db = await database.open();
  await db.write({
    reads: [],
    decide: (view) => {
      for (let i = 1; i <= MANY; i++) {
        view.insertKeyed(Accounts, {
          ...accountFields({ name: `account ${i}`, createdAtMs: MANY - i }),
          id: i,
        });
      }
    },
  });
  return db;
}

/** Counts the batches that reach the database. */
async function counted(
  database: TestDatabase,
): Promise<{ reads: CoalescedReads; batches: () => number }> {
  const connected = await database.connect();
  let batches = 0;
  const connection: Connection = {
    batch: (statements, mode) => {
      batches++;
      return connected.batch(statements, mode);
    },
  };
  return { reads: new CoalescedReads(connection), batches: () => batches };
}

testOnBoth(
  "concurrent look-ups share statements, and each gets its own answer",
  async (database) => {
    await fill(database);
    const { reads, batches } = await counted(database);
    const ids = Array.from({ length: 400 }, (_, i) => i % 7 === 0 ? 1_000_000 + i : 1 + i * 3);
    const found = await Promise.all(ids.map((id) => reads.find(Accounts, [id])));
    found.forEach((row, i) => {
      const expected = ids[i]! > MANY ? undefined : `account ${ids[i]}`;
      assert.equal(row?.name, expected);
    });
    assert.equal(batches(), 1);
  },
);

testOnBoth("more look-ups than one statement takes are all answered", async (database) => {
  await fill(database);
  const { reads, batches } = await counted(database);
  const found = await Promise.all(
    Array.from({ length: MANY }, (_, i) => reads.find(Accounts, [i + 1])),
  );
  assert.deepEqual(found.map((row) => row?.id), Array.from({ length: MANY }, (_, i) => i + 1));
  assert.ok(batches() > 1 && batches() < 10, `${batches()} batches`);
});

testOnBoth("the same look-up made many times at once is answered to all", async (database) => {
  const db = await fill(database);
  const found = await Promise.all(Array.from({ length: 200 }, () => db.find(Accounts, [7])));
  assert.ok(found.every((row) => row?.name === "account 7"));
});

testOnBoth(
  "concurrent lists share a statement, and each gets its own rows",
  async (database) => {
    const db = await database.open();
    const makeBalance = (accountId: number, network: string) => ({
      accountId,
      network,
      currency: "ETH",
      balance: `${accountId}`,
      held: "0",
    });
    await db.write({
      reads: [],
      decide: (view) => {
        for (const id of [1, 2, 3]) {
          view.insertKeyed(Accounts, { ...accountFields({ name: `account ${id}` }), id });
        }
      },
    });
    await db.write({
      reads: [],
      decide: (view) => {
        for (const network of ["A", "B"]) {
          for (const id of [1, 3]) view.insertKeyed(Balances, makeBalance(id, network));
        }
      },
    });
    const { reads, batches } = await counted(database);
    const ask = (accountId: number) => reads.list(Balances, { accountId });
    const [first, none, third, again] = await Promise.all([ask(1), ask(2), ask(3), ask(1)]);
    const networksOf = (rows: readonly BalanceRow[]) =>
      rows.map(({ network }) => network).toSorted();
    assert.deepEqual(networksOf(first), ["A", "B"]);
    assert.deepEqual(none, []);
    assert.deepEqual(third.map(({ balance }) => balance), ["3", "3"]);
    assert.deepEqual(again, first);
    assert.equal(batches(), 1);
  },
);

testOnBoth("look-ups by other tables and keys at the same time don't mix", async (database) => {
  const db = await database.open();
  await db.write({
    reads: [],
    decide: (view) => SAMPLES.forEach(({ table, row }) => view.insertKeyed(table, row)),
  });
  const [account, byId, byAddress, sticky, missing, nothing] = await Promise.all([
    db.find(Accounts, [1]),
    db.find(Addresses, [1]),
    db.find(Addresses, ["ETH", "0xA1"], "address"),
    db.find(Addresses, [1, "ETH", "1.0"], "sticky"),
    db.find(Addresses, [1, "ETH", "1"], "sticky"),
    db.find(Addresses, [1, "ETH", null], "sticky"),
  ]);
  assert.equal(account?.id, 1);
  assert.deepEqual([byId?.id, byAddress?.id, sticky?.id], [1, 1, 1]);
  assert.deepEqual([missing, nothing], [undefined, undefined]);
});

testOnBoth(
  "a look-up made while others are running returns what is stored by then",
  async (database) => {
    const db = await fill(database);
    const first = db.find(Accounts, [1]);
    const written = db.write({
      reads: [],
      decide: (view) => view.insertKeyed(UsedSignatures, { signature: "s", expiresAtMs: 1 }),
    });
    await written;
    assert.equal((await db.find(UsedSignatures, ["s"]))?.expiresAtMs, 1);
    assert.equal((await first)?.id, 1);
  },
);

testOnBoth(
  "a look-up that the database refuses fails for its callers, and the next is answered",
  async (database) => {
    const db = await fill(database);
    const wrong = {
      ...Accounts,
      columns: [{ field: "id", name: "no_such_column", type: "int" }],
    } as const;
    const outcomes = await Promise.allSettled([
      db.find(wrong as unknown as typeof Accounts, [1]),
      db.find(wrong as unknown as typeof Accounts, [2]),
    ]);
    for (const outcome of outcomes) {
      assert.ok(outcome.status === "rejected" && /no_such_column/.test(outcome.reason.message));
    }
    assert.equal((await db.find(Accounts, [2]))?.id, 2);
  },
);

testOnBoth(
  "rows come in the requested order, from the requested place and number",
  async (database) => {
    const db = await fill(database);
    const ids = async (tail: string, args: number[] = []) =>
      (await db.rows(Accounts, tail, args)).map((row) => row.id);
    const all = Array.from({ length: MANY }, (_, i) => i + 1);
    assert.deepEqual(await ids("ORDER BY id"), all);
    assert.deepEqual(await ids("ORDER BY id DESC"), all.toReversed());
    assert.deepEqual(await ids("ORDER BY created_at_ms"), all.toReversed());
    assert.deepEqual(await ids("WHERE id < ? ORDER BY id DESC LIMIT ?", [100, 3]), [99, 98, 97]);
    assert.deepEqual(await ids("WHERE id > ? ORDER BY id LIMIT ?", [MANY, 3]), []);
  },
);

testOnBoth(
  "text bound into a query is compared as it is and never read as SQL",
  async (database) => {
    const db = await database.open();
    const texts = [...HARD_TEXTS, "'; DROP TABLE accounts; --", "%", "?"];
    await db.write({
      reads: [],
      decide: (view) =>
        texts.forEach((name) => void view.insert(Accounts, accountFields({ name }))),
    });
    for (const text of texts) {
      const rows = await db.rows(Accounts, "WHERE name = ?", [text]);
      assert.deepEqual(rows.map((row) => row.name), [text]);
    }
  },
);
