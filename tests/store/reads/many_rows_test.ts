import assert from "node:assert/strict";
import { type AlertRow, Alerts } from "../../../src/alerts/table.ts";
import { type Random, seededRandom } from "../../domain/random.ts";
import { testOnBoth } from "../databases.ts";
import { HARD_TEXTS, makeAlert } from "./make_rows.ts";

/** Around each length that rows are inserted by. */
const COUNTS = [1, 3, 4, 5, 15, 16, 17, 21, 63, 64, 65, 85, 128, 149, 200];
const SEEDS = [1, 2, 3];

/** Each field the same in all rows, or in none, or now and then; null in all, in some or in none. */
function makeAlerts(random: Random, { count, from }: { count: number; from: number }): AlertRow[] {
  const field = <T>(values: readonly T[]): () => T => {
    const one = values[random.below(values.length)]!;
    return random.chance(0.5) ? () => one : () => values[random.below(values.length)]!;
  };
  const message = field(HARD_TEXTS);
  const open = field([1, null] as const);
  const createdAtMs = field([0, 1, Number.MAX_SAFE_INTEGER]);
  const resolvedAtMs = field([null, 0, 2 ** 51 + 1]);
  return Array.from({ length: count }, (_, i) =>
    makeAlert({
      id: from + i,
      kind: `kind ${from + i}`,
      message: message(),
      open: open(),
      createdAtMs: createdAtMs(),
      resolvedAtMs: resolvedAtMs(),
    }));
}

for (const seed of SEEDS) {
  testOnBoth(`any number of rows is inserted unchanged, seed ${seed}`, async (database) => {
    const db = await database.open();
    const random = seededRandom(seed);
    const all: AlertRow[] = [];
    for (const count of COUNTS) {
      const rows = makeAlerts(random, { count, from: all.length + 1 });
      await db.write({
        reads: [],
        decide: (view) => {
          for (const row of rows) view.insertKeyed(Alerts, row);
        },
      });
      all.push(...rows);
      assert.deepEqual(await db.rows(Alerts, "ORDER BY id"), all, `seed ${seed}, ${count} rows`);
    }
  });
}
