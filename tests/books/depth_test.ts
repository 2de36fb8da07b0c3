import assert from "node:assert/strict";
import { BLOCKS_REMEMBERED, finalizedAge, isFinalityStale, isGone } from "../../src/books/depth.ts";
import type { TransactionRow } from "../../src/deposits/tables/transactions.ts";
import type { NetworkCursorRow } from "../../src/following/table.ts";
import type { NetworkRow } from "../../src/networks/table.ts";

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

Deno.test("a payment is gone once its block is final without it, or deeper than forks are remembered", () => {
  const lost = { status: "detected", blockHash: null, blockNumber: 1_000 } as TransactionRow;
  const last = 1_000 + BLOCKS_REMEMBERED;
  const cases = [
    [lost, { scanHeight: last - 1, finalizedHeight: null }, false],
    [lost, { scanHeight: last, finalizedHeight: null }, true],
    [lost, { scanHeight: 1_050, finalizedHeight: 999 }, false],
    [lost, { scanHeight: 1_050, finalizedHeight: 1_000 }, true],
    // Seen at the tip while older blocks are still being read.
    [lost, { scanHeight: 900, finalizedHeight: 2_000 }, false],
    [{ ...lost, blockHash: "0x1" }, { scanHeight: last, finalizedHeight: last }, false],
    [{ ...lost, status: "confirmed" }, { scanHeight: last, finalizedHeight: last }, false],
    // It has been in no block yet, which isn't one below all others.
    [{ ...lost, blockNumber: 0 }, { scanHeight: last, finalizedHeight: last }, false],
  ] as const;
  for (const [row, cursor, expected] of cases) assert.equal(isGone(row, cursor), expected);
});
