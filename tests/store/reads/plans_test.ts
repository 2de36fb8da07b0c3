import type { InArgs } from "@libsql/client";
import assert from "node:assert/strict";
import { Accounts } from "../../../src/accounts/tables/accounts.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { NAV } from "../../../src/dashboard/pages.ts";
import { reconcile } from "../../../src/reconcile/reconcile.ts";
import { createCatalogSource } from "../../../src/store/engine/catalog.ts";
import { deleteRows, selectByFields, updateRows } from "../../../src/store/engine/statements.ts";
import { read } from "../../../src/store/engine/workspace.ts";
import {
  type AnyRow,
  PRIMARY,
  type RowValue,
  type Table,
  toValues,
} from "../../../src/store/tables/table.ts";
import { TABLES } from "../../../src/store/tables/tables.ts";
import { prune } from "../../../src/upkeep/prune.ts";
import { Events } from "../../../src/webhooks/tables/events.ts";
import { livedIn } from "../../dashboard/lived_in.ts";
import { DATABASE_KINDS, makeDatabase, type TestDatabase } from "../databases.ts";
import { partsOf, planOf, scannedTables, triggerStatements } from "../plans/explain.ts";
import { LISTED } from "../plans/list_examples.ts";
import { OPERATOR_READS } from "../plans/operator_examples.ts";
import { PAGES } from "../plans/page_examples.ts";
import { READS } from "../plans/read_examples.ts";
import { recordStatements } from "../plans/record.ts";
import { SEARCHES } from "../plans/search_examples.ts";
import { flat, listCalls, sqlTexts } from "../plans/sql_texts.ts";
import { isCutShort, OTHER_FILES, SMALL_TABLES, WHOLE_READS } from "../plans/whole_reads.ts";
import { accountFields, makeEvent } from "./make_rows.ts";
import { SAMPLES } from "./sample_rows.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startPayingWorld } from "../../support/payouts.ts";

/** A table with this ending got its name only at the end of its migration. */
const isExplained = (sql: string) =>
  /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(sql) && !/\b\w+_next\b/.test(sql);

const sampleOf = (name: string) => SAMPLES.find(({ table }) => table.name === name)!.row;

const valuesOf = (row: AnyRow, fields: readonly string[]): RowValue[] =>
  fields.map((field) => (row as Record<string, RowValue>)[field] ?? null);

Deno.test("every statement of the store uses an index, or only reads what doesn't grow", async () => {
  using recording = recordStatements();
  const { statements } = recording;
  await using database = await makeDatabase("an embedded file");
  await askEverything(database);
  await liveALittle();

  const seen = [...statements.keys()].map(flat);
  const unseen = (await sqlTexts()).filter(({ file, text }) =>
    OTHER_FILES[file] === undefined && !seen.some((sql) => sql.includes(text))
  );
  assert.deepEqual(unseen, [], "Nobody runs these pieces of SQL: see tests/store/plans");

  const own = seen.filter((sql) => isExplained(sql));
  assert.ok(own.length > 300, `${own.length} statements`);
  const scans = await scansOf(database, statements);
  assert.deepEqual(scans, []);
  const excuses = Object.keys(WHOLE_READS).filter((part) =>
    !seen.some((sql) => sql.includes(part))
  );
  assert.deepEqual(excuses, [], "These excuses are for nothing");
});

/** Each query in each of its ways, on a database that has something to prune. */
async function askEverything(database: TestDatabase): Promise<void> {
  const db = await database.open();
  await db.write({
    reads: [],
    decide: (view) => {
      view.insertKeyed(Accounts, { ...accountFields(), id: 1 });
      view.insertKeyed(Events, makeEvent({ id: 1, payload: {} }));
      view.insertKeyed(Events, makeEvent({ id: 2, payload: {} }));
    },
  });
  await db.write({
    reads: [read(Accounts, [1]), read(Events, [2])],
    decide: (view) => {
      view.update(Accounts, view.find(Accounts, [1])!, { name: "changed" });
      view.remove(Events, view.find(Events, [2])!);
    },
  });
  for (const ask of [...READS, ...OPERATOR_READS, ...PAGES, ...LISTED, ...SEARCHES]) await ask(db);
  await createCatalogSource(db, systemClock).current();
}

/** A gateway with a chain: deposits, withdrawals, the pages of both roles, what runs by itself. */
async function liveALittle(): Promise<void> {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await livedIn(world);
  const { deps, url, merchant: { accountId, api } } = world;
  await prune(deps);
  await reconcile(deps, { network: undefined });
  for (const path of ["/v1/transactions", "/v1/balances", "/v1/currencies"]) {
    assert.equal((await api.get(path)).status, 200);
  }
  for (const role of ["operator", "merchant"] as const) {
    const { token } = await makeLogin(deps, { accountId: role === "merchant" ? accountId : null });
    for (const { path } of NAV[role]) {
      const answer = await dashboardFetch(url, { path: path === "/" ? "" : path, token });
      assert.equal(answer.status, 200, await answer.text());
    }
  }
}

/** Steps that read a whole growing table and aren't in the list of exceptions. */
async function scansOf(
  database: TestDatabase,
  asked: ReadonlyMap<string, InArgs>,
): Promise<string[]> {
  const client = database.client();
  const parts = await partsOf(client);
  const found: string[] = [];
  // Explaining is recorded too.
  for (const [sql, args] of [...asked].filter(([sql]) => isExplained(sql))) {
    const one = flat(sql);
    const plan = await planOf(client, { sql, args });
    const scanned = scannedTables(plan, { sql: one, parts })
      .filter((table) => SMALL_TABLES[table] === undefined);
    const isExcused = isCutShort(one, plan) ||
      Object.keys(WHOLE_READS).some((part) => one.includes(part));
    if (scanned.length > 0 && !isExcused) found.push(`${scanned}: ${one}\n${plan.join("\n")}`);
  }
  return found;
}

Deno.test("what triggers do uses an index", async () => {
  await using database = await makeDatabase("an embedded file");
  const client = database.client();
  const all = await triggerStatements(client);
  assert.ok(all.length > 0);
  const parts = await partsOf(client);
  for (const { trigger, sql } of all) {
    const args = sql.match(/\?/g)?.map(() => null) ?? [];
    const plan = await planOf(client, { sql, args });
    assert.deepEqual(scannedTables(plan, { sql, parts }), [], `${trigger}: ${plan.join("; ")}`);
  }
});

Deno.test("lists that share one statement are found by an index", async () => {
  await using database = await makeDatabase("an embedded file");
  const calls = await listCalls();
  assert.ok(calls.length >= 3);
  for (const { table: name, fields } of calls) {
    const table = TABLES.find((one) => one.name === name);
    assert.ok(table, name);
    for (const values of setsOf(valuesOf(sampleOf(name), fields))) {
      await assertSearched(database, { table, fields, values });
    }
  }
});

for (const kind of DATABASE_KINDS) {
  Deno.test(`on ${kind}, a look-up by any key of any table uses an index`, async () => {
    await using database = await makeDatabase(kind);
    for (const table of TABLES) {
      for (const fields of Object.values(table.keys)) {
        for (const values of setsOf(valuesOf(sampleOf(table.name), fields))) {
          const terms = await assertSearched(database, { table, fields, values });
          assert.equal(terms, fields.length, `${table.name} by ${fields}`);
        }
      }
    }
  });

  Deno.test(`on ${kind}, rows of any table are changed and removed through their primary key`, async () => {
    await using database = await makeDatabase(kind);
    const client = database.client();
    for (const table of TABLES) {
      const row = sampleOf(table.name);
      const statements = [deleteRows(table, [row])];
      if (table.columns.length > table.keys[PRIMARY]!.length) {
        statements.push(updateRows(table, [toValues(table, row)]));
      }
      for (const statement of statements) {
        const plan = await planOf(client, statement as { sql: string; args: InArgs });
        const what = `${table.name}: ${plan.join("; ")}`;
        // A removed parent looks for children too; only its own table is asked about here.
        const own = plan.filter((step) => step.split(" ")[1] === table.name);
        assert.ok(own.length > 0 && own.every((step) => step.startsWith("SEARCH")), what);
      }
    }
  });
}

/** One set of values, two that differ in everything, and two that differ in the last one. */
function setsOf(set: RowValue[]): RowValue[][][] {
  const other = (value: RowValue) => typeof value === "number" ? value + 1 : `${value}, other`;
  return [[set], [set, set.map(other)], [set, set.with(-1, other(set.at(-1)!))]];
}

/** Checks how many columns of the index the search uses. */
async function assertSearched(
  database: TestDatabase,
  { table, ...by }: { table: Table<AnyRow>; fields: readonly string[]; values: RowValue[][] },
): Promise<number> {
  const statement = selectByFields(table, by) as { sql: string; args: InArgs };
  const plan = await planOf(database.client(), statement);
  const search = plan.find((step) =>
    /^SEARCH t USING (INTEGER PRIMARY KEY|(COVERING )?INDEX|PRIMARY KEY)/.test(step)
  );
  assert.ok(search, `${table.name} by ${by.fields}: ${plan.join("; ")}`);
  return search.match(/=\?/g)!.length;
}
