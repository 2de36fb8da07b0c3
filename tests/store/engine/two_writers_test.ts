import assert from "node:assert/strict";
import { Accounts } from "../../../src/accounts/tables/accounts.ts";
import { LedgerEntries } from "../../../src/books/table.ts";
import { testOnBoth } from "../databases.ts";
import { addition, balanceOf, bookFault, makeAccount } from "../ledger.ts";
import { accountFields } from "../reads/make_rows.ts";

const ROUNDS = 25;
const UNITS = 6;

testOnBoth(
  "two writers on the same balance lose nothing and never share an id",
  async (database) => {
    const writers = [await database.open(), await database.open()];
    const accountId = await makeAccount(writers[0]!);
    const sums = await Promise.all(writers.map(async (db, i) => {
      const seen: bigint[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const amounts = Array.from({ length: UNITS }, (_, j) => BigInt(1 + i * 1000 + j));
        seen.push(
          ...await Promise.all(amounts.map((amount) => db.write(addition(accountId, amount)))),
        );
      }
      return seen;
    }));
    const ofOneRound = UNITS * (UNITS + 1) / 2;
    const expected = BigInt(ROUNDS * (2 * ofOneRound + 1000 * UNITS));
    const reader = await database.open();
    assert.equal(await balanceOf(reader, accountId), expected);
    assert.equal(await bookFault(reader, accountId), undefined);
    const entries = await reader.rows(LedgerEntries, "ORDER BY id");
    assert.deepEqual(entries.map((entry) => entry.id), entries.map((_, i) => i + 1));
    // Every answer was a balance the books once had, and no two were the same.
    const stood = new Set(entries.map((entry) => entry.balanceAfter));
    const reported = sums.flat().map(String);
    assert.equal(new Set(reported).size, reported.length);
    assert.deepEqual(new Set(reported), stood);
  },
);

testOnBoth(
  "four writers that only add rows give every row its own id, rising for each",
  async (database) => {
    const writers = await Promise.all([0, 1, 2, 3].map(() => database.open()));
    const ids = await Promise.all(writers.map(async (db, i) => {
      const mine: number[] = [];
      for (let round = 0; round < 10; round++) {
        mine.push(
          await db.write({
            reads: [],
            decide: (view) => view.insert(Accounts, accountFields({ name: `writer ${i}` })).id,
          }),
        );
      }
      return mine;
    }));
    assert.equal(new Set(ids.flat()).size, 40);
    for (const mine of ids) assert.deepEqual(mine, mine.toSorted((a, b) => a - b));
    const rows = await writers[0]!.rows(Accounts, "");
    for (const row of rows) assert.ok(ids[Number(row.name.slice(-1))]!.includes(row.id));
  },
);

testOnBoth(
  "a unit sees a change that another writer made between its read and its write",
  async (database) => {
    const db = await database.open();
    const other = await database.open();
    const accountId = await makeAccount(db);
    let decisions = 0;
    let intrusion: Promise<unknown> | undefined;
    const unit = addition(accountId, 1n);
    const sum = await db.write({
      reads: unit.reads,
      decide: (view) => {
        if (++decisions === 1) intrusion = other.write(addition(accountId, 100n));
        return unit.decide(view);
      },
    });
    await intrusion;
    assert.equal(await balanceOf(db, accountId), 101n);
    assert.equal(await bookFault(db, accountId), undefined);
    assert.ok(sum === 1n || sum === 101n && decisions > 1);
  },
);
