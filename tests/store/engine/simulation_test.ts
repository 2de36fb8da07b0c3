import assert from "node:assert/strict";
import type { Answer } from "../../../src/store/connection/connection.ts";
import { LedgerEntries } from "../../../src/books/table.ts";
import { type Random, seededRandom } from "../../domain/random.ts";
import { makeDatabase } from "../databases.ts";
import {
  type Disturbance,
  disturbed,
  fault,
  type Forward,
  withoutPauses,
} from "./disturbed_writer.ts";
import { addition, balanceOf, bookFault, makeAccount } from "../ledger.ts";

/** Seeds that once failed stay in the list. */
const SEEDS = Array.from({ length: 12 }, (_, i) => i + 1);
const WRITERS = 3;
const ROUNDS = 12;
const UNITS = 4;

/** Random faults of a network and of other programs around each write. */
function weather(random: Random, lates: Forward[]): Disturbance {
  const deliverLate = async () => {
    const late = lates.splice(random.below(lates.length), 1)[0];
    // A write that was overtaken is refused, and nobody waits for its answer any more.
    await late?.().catch(() => {});
  };
  return async (forward, { mode }): Promise<readonly Answer[]> => {
    if (lates.length > 0 && random.chance(0.4)) await deliverLate();
    if (random.chance(0.1)) throw fault("busy");
    if (random.chance(0.1)) throw fault("lost");
    if (mode === "write" && random.chance(0.15)) {
      lates.push(forward);
      throw fault("lost");
    }
    const results = await forward();
    if (random.chance(0.15)) throw fault("lost");
    return results;
  };
}

for (const seed of SEEDS) {
  Deno.test(`under all faults every addition of several writers is made exactly once (seed ${seed})`, async () => {
    await using database = await makeDatabase("an embedded file");
    const db = await database.open();
    const accountId = await makeAccount(db);
    const random = seededRandom(seed);
    const lates: Forward[] = [];
    const writers = Array.from(
      { length: WRITERS },
      (_, i) => disturbed(database, weather(random, lates), { instance: `writer ${i}` }),
    );
    let expected = 0n;
    const sums = await withoutPauses(() =>
      Promise.all(writers.map(async (writer) => {
        const reported: bigint[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          const amounts = Array.from({ length: UNITS }, () => BigInt(1 + random.below(1000)));
          for (const amount of amounts) expected += amount;
          reported.push(
            ...await Promise.all(amounts.map((amount) => writer.run(addition(accountId, amount)))),
          );
        }
        return reported;
      }))
    );
    for (const late of lates) await late().catch(() => {});
    assert.equal(await balanceOf(db, accountId), expected);
    assert.equal(await bookFault(db, accountId), undefined);
    const entries = await db.rows(LedgerEntries, "ORDER BY id");
    assert.equal(entries.length, WRITERS * ROUNDS * UNITS);
    const stood = new Set(entries.map((entry) => entry.balanceAfter));
    const reported = sums.flat().map(String);
    assert.deepEqual(new Set(reported), stood);
    assert.equal(new Set(reported).size, reported.length);
  });
}
