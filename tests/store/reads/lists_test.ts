import assert from "node:assert/strict";
import { Accounts } from "../../../src/accounts/tables/accounts.ts";
import { nextTurn } from "../../../src/base/waiting/next_turn.ts";
import { LEDGER } from "../../../src/books/list.ts";
import { LedgerEntries, type LedgerEntryRow } from "../../../src/books/table.ts";
import { rowsOf } from "../../../src/operations/lists/list.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { IdSpans } from "../../../src/store/lists/id_spans.ts";
import type { PageOf } from "../../../src/store/lists/order.ts";
import { seededRandom } from "../../domain/random.ts";
import { makeDatabase } from "../databases.ts";
import { listDeps } from "./list_deps.ts";
import { accountFields } from "./make_rows.ts";

interface Entry {
  readonly id: number;
  readonly kind: string;
  readonly atMs: number;
}

async function withLedger(
  entries: readonly Entry[],
  work: (db: Db, add: (more: readonly Entry[]) => Promise<void>) => Promise<void>,
): Promise<void> {
  await using database = await makeDatabase("an embedded file");
  const db = await database.open();
  await db.write({
    reads: [],
    decide: (view) => view.insertKeyed(Accounts, { ...accountFields(), id: 1 }),
  });
  const add = (more: readonly Entry[]) =>
    db.execute([{
      sql: `INSERT INTO ledger_entries (id, account_id, network, currency, kind, amount,
  balance_after, held_after, created_at_ms)
SELECT value ->> 0, 1, 'ETH', 'ETH', value ->> 1, '1', '1', '0', value ->> 2
FROM json_each(?)`,
      args: [JSON.stringify(more.map(({ id, kind, atMs }) => [id, kind, atMs]))],
    }]);
  await add(entries);
  await work(db, add);
}

const COINS = { networks: ["ETH"], coins: [{ network: "ETH", symbol: "ETH" }] };

Deno.test("the times of many rows are read in steps, between which others are served", async () => {
  const entries = Array.from({ length: 50_000 }, (_, i) => ({ id: i + 1, kind: "hold", atMs: i }));
  await withLedger(entries, async (db) => {
    let [turns, isOver] = [0, false];
    const others = (async () => {
      for (; !isOver; turns++) await nextTurn();
    })();
    const asked = { accountId: 1, values: { from: 49_999 }, cursor: null, limit: 50 };
    const { rows } = await rowsOf(listDeps(db, COINS), LEDGER, asked);
    isOver = true;
    await others;
    assert.deepEqual(rows.map(({ id }) => id), [50_000]);
    assert.ok(turns >= 6, `${turns} turns`);
  });
});

Deno.test("a page ends early rather than look through all rows, and its cursor leads to the rest", async () => {
  const holds = new Set([1, 6_999, 7_000, 17_999]);
  const entries = Array.from({ length: 18_000 }, (_, i): Entry => ({
    id: i + 1,
    kind: holds.has(i + 1) ? "hold" : "credit",
    atMs: i,
  }));
  await withLedger(entries, async (db) => {
    const pages: { ids: number[]; next: number | null }[] = [];
    const deps = listDeps(db, COINS);
    for (let cursor: number | null = null; pages.length < 10;) {
      const asked = { accountId: 1, values: { kind: "hold" }, limit: 50 };
      const found: PageOf<LedgerEntryRow> = await rowsOf(deps, LEDGER, { ...asked, cursor });
      const { rows, next } = found;
      pages.push({ ids: rows.map(({ id }) => id), next });
      cursor = next;
      if (next === null) break;
    }
    assert.deepEqual(pages, [
      { ids: [17_999], next: 13_000 },
      { ids: [], next: 7_999 },
      { ids: [7_000, 6_999], next: 2_998 },
      { ids: [1], next: null },
    ]);
  });
});

for (const seed of [1, 2]) {
  Deno.test(`all rows of a time are inside the spans found for it (seed ${seed})`, async () => {
    const random = seededRandom(seed);
    let id = 0;
    const some = (count: number): Entry[] =>
      Array.from({ length: count }, () => {
        // A restored installation goes on numbering far beyond.
        id += random.chance(0.001) ? 40_000_000 : 1;
        const atMs = random.chance(0.002) ? random.below(9_000) : id % 9_000;
        return { id, kind: "credit", atMs };
      });
    const entries = some(5_000);
    await withLedger(entries, async (db, add) => {
      const spans = new IdSpans();
      for (let round = 0; round < 3; round++) {
        for (let i = 0; i < 20; i++) {
          const fromMs = random.below(9_000);
          const untilMs = fromMs + random.below(2_000);
          const window = { column: "created_at_ms", fromMs, untilMs };
          const found = await spans.find(db, LedgerEntries, [window]);
          const isInside = (one: number) =>
            found.filter(({ from, below }) => one >= from && one < below).length;
          const wanted = entries.filter(({ atMs }) => atMs >= fromMs && atMs < untilMs);
          assert.ok(wanted.every((entry) => isInside(entry.id) === 1));
          assert.deepEqual(found, found.toSorted((a, b) => b.from - a.from));
        }
        const more = some(1_500);
        entries.push(...more);
        await add(more);
      }
    });
  });
}

Deno.test("of orderly clocks, a time's span is no wider than its rows' zones", async () => {
  const entries = Array.from({ length: 9_000 }, (_, i): Entry => ({
    id: i + 1,
    kind: "credit",
    atMs: i + 1,
  }));
  await withLedger(entries, async (db) => {
    const window = { column: "created_at_ms", fromMs: 3_000, untilMs: 3_100 };
    const found = await new IdSpans().find(db, LedgerEntries, [window]);
    assert.deepEqual(found, [{ from: 2_048, below: 4_096 }]);
  });
});

Deno.test("a row written while zones are being read is found by whoever asks afterwards", async () => {
  await withLedger([{ id: 1, kind: "credit", atMs: 1_000 }], async (db, add) => {
    const held = holdFirstQuery(db);
    const spans = new IdSpans();
    const window = { column: "created_at_ms", fromMs: 2_000, untilMs: 3_000 };
    const find = () => spans.find(held.db, LedgerEntries, [window]);

    const early = find();
    await Promise.race([held.answered, early]);
    await add([{ id: 2, kind: "credit", atMs: 2_000 }]);
    const late = find();
    held.release();

    assert.deepEqual(await early, []);
    assert.deepEqual(await late, [{ from: 0, below: 1_024 }]);
  });
});

/** Keeps the first answer back until it is released. */
function holdFirstQuery(db: Db) {
  const answered = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let queries = 0;
  const query: Db["query"] = async (sql, args) => {
    const isFirst = queries++ === 0;
    const rows = await db.query(sql, args);
    if (isFirst) {
      answered.resolve();
      await gate.promise;
    }
    return rows;
  };
  return { db: { ...db, query }, answered: answered.promise, release: gate.resolve };
}
