import assert from "node:assert/strict";
import { LedgerEntries } from "../../../src/books/table.ts";
import { seededRandom } from "../../domain/random.ts";
import { type ChildProgram, startChild } from "../child_program.ts";
import { type DatabaseKind, makeDatabase } from "../databases.ts";
import { addition, balanceOf, bookFault, makeAccount } from "../ledger.ts";

const KILLS: readonly (readonly [DatabaseKind, number])[] = [
  ["an embedded file", 15],
  ["a database server", 5],
];
/** The other program adds this, so its sum can be distinguished from that of the killed one. */
const LARGE = 1_000_000n;

for (const [kind, kills] of KILLS) {
  Deno.test(`on ${kind}, a program killed ${kills} times at any moment loses nothing it was answered`, async () => {
    await using database = await makeDatabase(kind);
    const db = await database.open();
    const accountId = await makeAccount(db);
    const random = seededRandom(kills);
    let answered = 0n;
    let ownAdditions = 0n;
    for (let kill = 1; kill <= kills; kill++) {
      await using program = startChild(new URL("adder.ts", import.meta.url), {
        args: [database.url, String(accountId)],
      });
      answered += await countUntilKilled(program, 1 + random.below(120));
      await db.write(addition(accountId, LARGE));
      ownAdditions++;
      const added = await balanceOf(db, accountId) - ownAdditions * LARGE;
      assert.ok(added >= answered, `kill ${kill}: ${answered} answered, ${added} stored`);
      assert.equal(await bookFault(db, accountId), undefined, `kill ${kill}`);
      // Only what was in progress when it died may be stored without an answer.
      assert.ok(
        added - answered <= 6n * BigInt(kill),
        `kill ${kill}: ${added - answered} unanswered`,
      );
      const entries = await db.rows(LedgerEntries, "");
      assert.equal(BigInt(entries.length), added + ownAdditions, `kill ${kill}`);
    }
    assert.ok(answered > 100n, `${answered} answers`);
    if (kind !== "an embedded file") return;
    const [check] = await db.query("PRAGMA integrity_check");
    assert.equal(check!.integrity_check, "ok");
  });
}

Deno.test("two processes that add to one balance at the same time lose nothing", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = await database.open();
  const accountId = await makeAccount(db);
  await using program = startChild(new URL("adder.ts", import.meta.url), {
    args: [database.url, String(accountId)],
  });
  await program.line();
  for (let i = 0; i < 30; i++) await db.write(addition(accountId, LARGE));
  const answered = 1n + await countUntilKilled(program, 1);
  const added = await balanceOf(db, accountId) - 30n * LARGE;
  assert.ok(added >= answered && answered > 1n, `${answered} answered, ${added} stored`);
  assert.equal(await bookFault(db, accountId), undefined);
});

/** Kills the program after so many answers, and counts those that it had given by then too. */
async function countUntilKilled(program: ChildProgram, answers: number): Promise<bigint> {
  let count = 0n;
  for (; count < answers; count++) {
    assert.ok(await program.line(), "the program adds until it is killed");
  }
  await program.kill();
  while (await program.line() !== undefined) count++;
  return count;
}
