import assert from "node:assert/strict";
import { type AnyRow, PRIMARY, type RowValue, type Table } from "../../src/store/tables/table.ts";
import { StorageUses } from "../../src/accounts/tables/storage.ts";
import { CoinMoves } from "../../src/accounts/tables/coins.ts";
import { TABLES } from "../../src/store/tables/tables.ts";
import { read } from "../../src/store/engine/workspace.ts";
import { makeDatabase, testOnBoth } from "./databases.ts";
import { SAMPLES } from "./reads/sample_rows.ts";

const valuesOf = (row: AnyRow, fields: readonly string[]): RowValue[] =>
  fields.map((field) => (row as Record<string, RowValue>)[field] ?? null);

const rowText = (table: Table<AnyRow>, row: AnyRow) =>
  JSON.stringify(table.columns.map(({ field }) => (row as Record<string, unknown>)[field]));

const snakeCase = (field: string) =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

Deno.test("every table has a sample of each value that it can hold, nulls included", () => {
  for (const table of TABLES) {
    const rows = SAMPLES.filter((sample) => sample.table === table).map((sample) => sample.row);
    assert.ok(rows.length > 0, table.name);
    for (const { field } of table.columns) {
      assert.ok(rows.every((row) => field in row), `${table.name}.${field}`);
    }
  }
});

testOnBoth(
  "a row of every table comes back as it was written, by each of its keys",
  async (database) => {
    const writer = await database.open();
    await writer.write({
      reads: [],
      decide: (view) => SAMPLES.forEach(({ table, row }) => view.insertKeyed(table, row)),
    });
    const reader = await database.open();
    // The writer itself adds to these whenever it stores anything.
    const all = TABLES.filter((table) => table !== StorageUses);
    for (const { table, row } of SAMPLES.filter((sample) => sample.table !== StorageUses)) {
      for (const [key, fields] of Object.entries(table.keys)) {
        const values = valuesOf(row, fields);
        const found = await reader.find(table, values, key);
        const expected = values.includes(null) ? undefined : row;
        assert.deepEqual(found, expected, `${table.name} by ${key} ${JSON.stringify(values)}`);
      }
    }
    // The ledger's rows add to these by a trigger.
    for (const table of all.filter((table) => table !== CoinMoves)) {
      const rows = SAMPLES.filter((sample) => sample.table === table).map((sample) => sample.row);
      const stored = await reader.rows(table, "");
      assert.deepEqual(
        new Set(stored.map((row) => rowText(table, row))),
        new Set(rows.map((row) => rowText(table, row))),
      );
    }
  },
);

testOnBoth("a changed row of every table keeps what wasn't changed", async (database) => {
  const db = await database.open();
  await db.write({
    reads: [],
    decide: (view) => SAMPLES.forEach(({ table, row }) => view.insertKeyed(table, row)),
  });
  const changeable = SAMPLES.filter(({ table }) =>
    table.name !== "ledger_entries" && !table.isChained && table !== StorageUses
  );
  const changed = changeable.map(({ table, row }, i) => {
    const column = table.columns.find(({ field, type }) =>
      type === "text" && !Object.values(table.keys).flat().includes(field) &&
      !isChecked(table, field) && !table.encrypted.some((one) => one.field === field)
    );
    return { table, row, patch: column ? { [column.field]: `00${i}.0` } : {} };
  });
  await db.write({
    reads: changed.map(({ table, row }) => read(table, valuesOf(row, table.keys[PRIMARY]!))),
    decide: (view) => changed.forEach(({ table, row, patch }) => view.update(table, row, patch)),
  });
  for (const { table, row, patch } of changed) {
    const values = valuesOf(row, table.keys[PRIMARY]!);
    assert.deepEqual(await db.find(table, values), { ...row, ...patch }, table.name);
  }
});

testOnBoth("no value of any table is stored as a float", async (database) => {
  const db = await database.open();
  await db.write({
    reads: [],
    decide: (view) => SAMPLES.forEach(({ table, row }) => view.insertKeyed(table, row)),
  });
  await db.execute([{
    sql: "UPDATE accounts SET created_at_ms = ?, name = ? WHERE id = ?",
    args: [5, "5", 1],
  }]);
  const client = database.client();
  for (
    const table of [
      ...TABLES.map(({ name }) => name),
      "write_clock",
      "writers",
      "schema_migrations",
    ]
  ) {
    const { columns, rows } = await client.execute(`SELECT * FROM ${table}`);
    assert.ok(rows.length > 0, table);
    const types = columns.map((name) => `group_concat(DISTINCT typeof(${name}))`).join(", ");
    const [kinds] = (await client.execute(`SELECT ${types} FROM ${table}`)).rows;
    columns.forEach((name, i) => {
      assert.match(String(kinds![i]), /^(integer|text|null)(,null)?$|^null,/, `${table}.${name}`);
    });
  }
});

testOnBoth(
  "numbers bound into a statement are integers, and others are refused",
  async (database) => {
    const db = await database.open();
    const [row] = await db.query(
      "SELECT typeof(?) AS a, typeof(?) AS b, 7 / ? AS c, typeof(?) AS d",
      [
        1,
        true,
        2,
        null,
      ],
    );
    assert.deepEqual({ ...row }, { a: "integer", b: "integer", c: 3, d: "null" });
    for (const wrong of [0.5, NaN, Infinity, 2 ** 53]) {
      await assert.rejects(db.query("SELECT ?", [wrong]), { name: "InvariantError" });
    }
    const [highest] = await db.query("SELECT ? AS value", [Number.MAX_SAFE_INTEGER]);
    assert.equal(highest!.value, Number.MAX_SAFE_INTEGER);
  },
);

testOnBoth(
  "a value of the wrong kind never reaches a table, and the caller gets an error",
  async (database) => {
    const db = await database.open();
    const { table, row } = SAMPLES.find((sample) => sample.table.name === "accounts")!;
    for (
      const wrong of [{ name: 5 }, { name: undefined }, { createdAtMs: 1.5 }, { createdAtMs: "5" }]
    ) {
      const unit = { reads: [], decide: () => {} };
      await assert.rejects(
        db.write({ ...unit, decide: (view) => void view.insertKeyed(table, { ...row, ...wrong }) }),
        { name: "InvariantError" },
      );
    }
    assert.deepEqual(await db.rows(table, ""), []);
  },
);

Deno.test("the tables in code are the tables of the migrations, column by column", async () => {
  await using database = await makeDatabase("an embedded file");
  const client = database.client();
  const { rows } = await client.execute(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  const own = ["schema_migrations", "write_clock", "writers"];
  assert.deepEqual(
    rows.map((row) => String(row.name)).filter((name) => !own.includes(name)).toSorted(),
    TABLES.map((table) => table.name).toSorted(),
  );
  for (const table of TABLES) {
    const info = await client.execute(`SELECT * FROM pragma_table_info('${table.name}')`);
    const stored = info.rows.map(({ name, type, notnull, pk }) =>
      `${name} ${type}${notnull || pk ? "" : " or null"}`
    ).toSorted();
    const declared = table.stored.map(({ field, type, isNullable }) =>
      `${snakeCase(field)} ${type === "int" || type === "bool" ? "INTEGER" : "TEXT"}` +
      (isNullable ? " or null" : "")
    );
    assert.deepEqual(stored, declared.toSorted(), table.name);
  }
});

Deno.test("every key in code is a unique index of the database, and serial ids are never reused", async () => {
  await using database = await makeDatabase("an embedded file");
  const client = database.client();
  for (const table of TABLES) {
    const unique = await uniqueKeys(table);
    for (const [key, fields] of Object.entries(table.keys)) {
      const columns = fields.map(snakeCase).join(", ");
      assert.ok(unique.has(columns), `${table.name} ${key}: ${columns} of ${[...unique]}`);
    }
    const [schema] = (await client.execute({
      sql: "SELECT sql FROM sqlite_master WHERE name = ?",
      args: [table.name],
    })).rows;
    assert.equal(String(schema!.sql).includes("AUTOINCREMENT"), table.isSerial, table.name);
    assert.match(String(schema!.sql), /STRICT/, table.name);
  }

  async function uniqueKeys(table: Table<AnyRow>): Promise<Set<string>> {
    const keys = await client.execute(
      `SELECT group_concat(name, ', ') AS columns
FROM (SELECT name FROM pragma_table_info('${table.name}') WHERE pk > 0 ORDER BY pk)
UNION ALL
SELECT (SELECT group_concat(name, ', ') FROM pragma_index_info(i.name))
FROM pragma_index_list('${table.name}') AS i
WHERE i."unique" = 1`,
    );
    return new Set(keys.rows.map((row) => String(row.columns)));
  }
});

Deno.test("every sealed column is declared as one, so that a new master key finds it", () => {
  for (const table of TABLES) {
    const named = table.columns.map(({ field }) => field).filter((field) => /sealed$/i.test(field));
    assert.deepEqual(
      table.encrypted.map(({ field }) => field).toSorted(),
      named.toSorted(),
      table.name,
    );
  }
});

function isChecked(table: Table<AnyRow>, field: string): boolean {
  return [
    ...["networks", "addresses", "signed_transfers", "signed_transactions"],
    ...["signed_payments", "webhook_deliveries", "users", "sessions", "role_keys"],
  ].includes(table.name) &&
    ["family", "finality", "traces", "purpose", "state", "role", "stage"].includes(field);
}
