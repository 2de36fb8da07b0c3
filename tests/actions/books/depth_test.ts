import assert from "node:assert/strict";
import { finalizedAge, isFinalityStale } from "../../../src/actions/books/depth.ts";
import type { NetworkCursorRow } from "../../../src/store/tables/following.ts";
import type { NetworkRow } from "../../../src/store/tables/setup.ts";

const MINUTE_MS = 60_000;

function ageAfter(
  looks: readonly { atMs: number; finalizedAgeMs: number | null }[],
  finality: NetworkRow["finality"] = "finalized",
): number | null {
  let cursor = { finalizedAgeMs: null, tipAtMs: null } as NetworkCursorRow;
  for (const tip of looks) {
    const finalizedAgeMs = finalizedAge(cursor, { network: { finality } as NetworkRow, tip });
    cursor = { ...cursor, finalizedAgeMs, tipAtMs: tip.atMs };
  }
  return cursor.finalizedAgeMs;
}

/** A look a minute, at none of which a node says what is final. */
function untold(minutes: number) {
  return Array.from({ length: minutes + 1 }, (_, i) => ({
    atMs: i * MINUTE_MS,
    finalizedAgeMs: null,
  }));
}

Deno.test("while no node says what is final, the last final block gets older, until it is stale", () => {
  assert.equal(ageAfter(untold(0)), 0);
  assert.equal(ageAfter(untold(7)), 7 * MINUTE_MS);
  const isStale = (minutes: number) =>
    isFinalityStale({ finalizedAgeMs: ageAfter(untold(minutes)) } as NetworkCursorRow);
  assert.deepEqual([isStale(30), isStale(31)], [false, true]);
  const told = { atMs: 40 * MINUTE_MS, finalizedAgeMs: 12_000 };
  assert.equal(ageAfter([...untold(39), told]), 12_000);
  const later = { atMs: 41 * MINUTE_MS, finalizedAgeMs: null };
  assert.equal(ageAfter([...untold(39), told, later]), MINUTE_MS + 12_000);
});

Deno.test("a node that doesn't know yet what is final after hours makes nothing stale at once", () => {
  const looks = [{ atMs: 0, finalizedAgeMs: 5_000 }, {
    atMs: 300 * MINUTE_MS,
    finalizedAgeMs: null,
  }];
  assert.equal(ageAfter(looks), 5 * MINUTE_MS + 5_000);
});

Deno.test("where nothing is called final, there is no age", () => {
  assert.equal(ageAfter(untold(90), "none"), null);
});
