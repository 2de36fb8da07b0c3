import assert from "node:assert/strict";
import { createMac } from "../../../src/base/secrets/mac.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { Seals } from "../../../src/store/engine/seals.ts";
import { TamperedRow } from "../../../src/store/engine/tampered_row.ts";
import { read, type View } from "../../../src/store/engine/workspace.ts";
import { SEALED_TABLES } from "../../../src/store/reads/sealed.ts";
import { type AnyRow, PRIMARY, type Table, valuesOf } from "../../../src/store/tables/table.ts";
import { type TestDatabase, testOnBoth } from "../databases.ts";
import { SAMPLES } from "../reads/sample_rows.ts";

interface Forged {
  readonly table: Table<AnyRow>;
  /** As it was before somebody changed it. */
  readonly row: AnyRow;
  readonly key: string;
}

testOnBoth(
  "a row of any sealed table that somebody else changed is refused wherever it is read",
  async (database) => {
    const db = await database.open();
    db.protect(new Seals(createMac(new Uint8Array(32).fill(7)), null));
    await db.write({
      reads: [],
      decide: (view) => SAMPLES.forEach(({ table, row }) => view.insertKeyed(table, row)),
    });
    for (const table of SEALED_TABLES) {
      const { row } = SAMPLES.find((sample) => sample.table === table)!;
      const forged = { table, row, key: keyOf({ table, row }).join("/") };
      await forgetsNothing(db, forged);
      await forge(database, forged);
      await isRefused(db, forged);
      await isRaw(db, forged);
    }
  },
);

/** Before it is changed, every way to read it returns it. */
async function forgetsNothing(db: Db, { table, row }: Forged): Promise<void> {
  for (const [name, way] of waysIn(table, row)) {
    assert.deepEqual(await inUnit(db, { table, row, way }), row, `${table.name} ${name}`);
  }
}

async function isRefused(db: Db, { table, row, key }: Forged): Promise<void> {
  const fault = (error: Error) => {
    assert.ok(error instanceof TamperedRow, `${table.name}: ${error}`);
    assert.deepEqual([error.table, error.key], [table.name, key]);
    return true;
  };
  for (const [, way] of waysIn(table, row)) {
    await assert.rejects(inUnit(db, { table, row, way }), fault);
  }
}

async function isRaw(db: Db, { table, row }: Forged): Promise<void> {
  for (const [name, way] of waysIn(table, row)) {
    const raw = (view: View) => way({ ...view.raw } as View);
    const found = await inUnit(db, { table, row, way: raw });
    assert.notDeepEqual(found, row, `${table.name} ${name}`);
    assert.deepEqual(keyOf({ table, row: found! }), keyOf({ table, row }));
  }
}

type Way = (view: Pick<View, "find" | "get" | "rowOf">) => AnyRow | undefined;

function waysIn(table: Table<AnyRow>, row: AnyRow): [name: string, Way][] {
  const at = read<AnyRow>(table, keyOf({ table, row }));
  return [
    ["find", (view) => view.find(table, at.values)],
    ["get", (view) => view.get(table, at.values)],
    ["rowOf", (view) => view.rowOf(at)],
  ];
}

function inUnit(
  db: Db,
  { table, row, way }: {
    table: Table<AnyRow>;
    row: AnyRow;
    way: (view: View) => AnyRow | undefined;
  },
): Promise<AnyRow | undefined> {
  return db.write({ reads: [read(table, keyOf({ table, row }))], decide: way });
}

function keyOf({ table, row }: Pick<Forged, "table" | "row">) {
  return valuesOf(row, table.keys[PRIMARY]);
}

/** Changes the first sealed column that the database lets anybody change. */
async function forge(database: TestDatabase, { table, row }: Forged): Promise<void> {
  const sql = database.client();
  const key = table.keys[PRIMARY];
  const nameOf = (field: string) => table.columns.find((one) => one.field === field)!.name;
  const match = key.map((field) => `${nameOf(field)} = ?`).join(" AND ");
  const columns = table.sealedColumns!.map((i) => table.columns[i]!)
    .filter(({ field }) => !Object.values(table.keys).flat().includes(field));
  const { rows: triggers } = await sql.execute({
    sql: "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?",
    args: [table.name],
  });
  for (const { name } of triggers) await sql.execute(`DROP TRIGGER ${name}`);
  for (const { name, type } of columns) {
    const value = type === "bool"
      ? `NOT ${name}`
      : type === "int"
      ? `${name} + 1`
      : `${name} || '1'`;
    for (const other of [value, "NULL", "'[]'", "'1'", "0", "1", "2"]) {
      const changed = await sql.execute({
        sql:
          `UPDATE ${table.name} SET ${name} = ${other} WHERE ${match} AND ${name} IS NOT ${other}`,
        args: keyOf({ table, row }),
      }).catch(() => undefined);
      if (changed?.rowsAffected === 1) return;
    }
  }
  throw new Error(`Nobody can change ${table.name}`);
}
