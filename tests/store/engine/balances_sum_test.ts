import assert from "node:assert/strict";
import { createMac } from "../../../src/base/secrets/mac.ts";
import { auditEnd } from "../../../src/audit/reads/audit.ts";
import { AuditLog } from "../../../src/audit/table.ts";
import { moved, termOf } from "../../../src/store/engine/balances_sum.ts";
import { openHead } from "../../../src/store/engine/chain_rows.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { Seals } from "../../../src/store/engine/seals.ts";
import { type AnyRow, type Table, toValues } from "../../../src/store/tables/table.ts";
import { Balances } from "../../../src/books/table.ts";
import type { View } from "../../../src/store/engine/workspace.ts";
import { read } from "../../../src/store/engine/workspace.ts";
import { seededRandom } from "../../domain/random.ts";
import { type TestDatabase, testOnBoth } from "../databases.ts";
import { addition, balanceOf, makeAccount } from "../ledger.ts";
import { makeAudit } from "../reads/make_users.ts";

const MAC = createMac(new Uint8Array(32).fill(7));
const { id: _, ...ROW } = makeAudit({ id: 0 });
const ACCOUNTS = 4;
const ROUNDS = 15;
const UNITS_MAX = 8;
const BALANCES = Balances as Table<AnyRow>;

function note(view: View): void {
  view.insert(AuditLog, ROW);
}

async function openSummed(database: TestDatabase): Promise<Db> {
  const db = await database.open();
  const summed = { isBeginning: true, summedFromMs: 0 };
  db.protect(new Seals(MAC, { id: 0, hash: null }, summed));
  return db;
}

/** The sum of the rows less the kept sum; undefined: the head isn't genuine. */
async function differenceOf(db: Db): Promise<bigint | undefined> {
  const rows = await db.rows(Balances, "");
  const terms = rows.map((row) => termOf(db.seals()!, BALANCES, toValues(BALANCES, row)));
  const kept = openHead(MAC, (await auditEnd(db)).kept)?.balances;
  return kept ? moved(terms.reduce((sum, term) => sum + term, 0n), -kept.sum) : undefined;
}

async function makeAccounts(db: Db): Promise<number[]> {
  await db.write({ reads: [], decide: note });
  const ids: number[] = [];
  for (let i = 0; i < ACCOUNTS; i++) ids.push(await makeAccount(db, `account ${i}`));
  return ids;
}

for (const seed of [1, 2, 3]) {
  testOnBoth(
    `two writers' random groups keep the sum of all balances (seed ${seed})`,
    async (database) => {
      const writers = [await openSummed(database), await openSummed(database)];
      const ids = await makeAccounts(writers[0]!);
      await Promise.all(writers.map(async (db, i) => {
        const random = seededRandom(seed * 10 + i);
        for (let round = 0; round < ROUNDS; round++) {
          const units = Array.from({ length: 1 + random.below(UNITS_MAX) }, () => {
            const { reads, decide } = addition(random.pick(ids), BigInt(random.below(3)));
            const [isNoted, isUndone] = [random.chance(0.3), random.chance(0.2)];
            return {
              reads,
              decide: (view: View) => {
                decide(view);
                if (isNoted) note(view);
                if (isUndone) throw new Error("undone");
              },
            };
          });
          await Promise.allSettled(units.map((unit) => db.write(unit)));
        }
      }));
      assert.equal(await differenceOf(writers[0]!), 0n);
      await writers[0]!.write({
        reads: ids.map((id) => read(Balances, [id, "ETH", "ETH"])),
        decide: (view) => view.remove(Balances, view.find(Balances, [ids[0]!, "ETH", "ETH"])!),
      });
      assert.equal(await differenceOf(writers[1]!), 0n);
    },
  );
}

testOnBoth(
  "a balance that is put back is noticed, whatever is written with it",
  async (database) => {
    const db = await openSummed(database);
    const [id] = await makeAccounts(db);
    await db.write(addition(id!, 100n));
    const sql = database.client();
    await sql.execute("CREATE TABLE thief AS SELECT * FROM balances");
    await db.write(addition(id!, -60n));
    const kept = await auditEnd(db);
    await sql.execute(
      `UPDATE balances SET (balance, seal) = (SELECT balance, seal FROM thief AS t
WHERE t.account_id = balances.account_id)`,
    );
    const putBack = await differenceOf(db);
    assert.notEqual(putBack, 0n);
    for (const amount of [5n, 7n, -12n]) {
      await db.write(addition(id!, amount));
      assert.equal(await differenceOf(db), putBack);
    }
    assert.equal(await balanceOf(db, id!), 100n);
    // An operator's decision counts once, whatever was written since they looked.
    await db.write(addition(id!, 1n));
    await db.write({
      reads: [],
      decide: (view) => {
        note(view);
        view.correctSum(putBack!);
      },
    });
    assert.equal(await differenceOf(db), 0n);
    assert.equal(openHead(MAC, (await auditEnd(db)).kept)!.balances!.turn, 1);
    await sql.execute({
      sql: "UPDATE write_clock SET balances_sum = ?",
      args: [kept.kept!.balances],
    });
    assert.equal(openHead(MAC, (await auditEnd(db)).kept), undefined);
  },
);

for (
  const lost of [
    "balances_sum = NULL",
    "audit_seal = 'x'",
    "balances_sum = '0:00'",
    "audit_id = NULL",
  ]
) {
  testOnBoth(`a lost sum doesn't start again: ${lost}`, async (database) => {
    const db = await openSummed(database);
    const [id] = await makeAccounts(db);
    db.protect(new Seals(MAC, { id: 0, hash: null }, { summedFromMs: 0 }));
    await database.client().execute(`UPDATE write_clock SET ${lost}`);
    await db.write(addition(id!, 1n));
    assert.equal(await differenceOf(db), undefined);
    await db.write({ reads: [], decide: note });
    assert.notEqual(await differenceOf(db), 0n);
    assert.notEqual(await differenceOf(db), undefined);
  });
}

testOnBoth("the same balances are never stored as the same text", async (database) => {
  const db = await openSummed(database);
  const [id] = await makeAccounts(db);
  const texts = new Set<string | null>();
  for (let i = 0; i < 3; i++) {
    await db.write({ reads: [], decide: note });
    texts.add((await auditEnd(db)).kept!.balances);
  }
  assert.equal(texts.size, 3);
  assert.equal(await balanceOf(db, id!), 0n);
});
