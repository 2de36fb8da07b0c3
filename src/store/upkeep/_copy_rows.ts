import type { Client, Transaction } from "@libsql/client";

const ROWS_PER_PAGE = 1_000;

/** The table that makes a database ours. Written last, so that an incomplete copy isn't one. */
export const LAST_TABLE = "schema_migrations";

interface Part {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

export async function copyRows(source: Client, target: Client): Promise<void> {
  const reading = await source.transaction("read");
  try {
    const parts = await partsOf(reading);
    const tables = parts.filter(({ type }) => type === "table");
    await target.batch(tables.map(({ sql }) => sql), "write");
    const names = tables.map(({ name }) => name).filter((name) => name !== LAST_TABLE);
    for (const name of inOrderOfReferences(tables, names)) {
      await copyTable(reading, target, name);
    }
    await copyCounters(reading, target);
    // Indexes and triggers are created after all rows.
    const rest = parts.filter(({ type }) => type !== "table").map(({ sql }) => sql);
    if (rest.length > 0) await target.batch(rest, "write");
    await copyTable(reading, target, LAST_TABLE);
  } finally {
    reading.close();
  }
}

async function partsOf(reading: Transaction): Promise<Part[]> {
  const { rows } = await reading.execute(
    `SELECT type, name, sql FROM sqlite_master
WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'libsql\\_%' ESCAPE '\\'
ORDER BY rowid`,
  );
  return rows.map(({ type, name, sql }) => ({
    type: String(type),
    name: String(name),
    sql: String(sql),
  }));
}

/** Referenced tables first, so that every row finds what it references. */
function inOrderOfReferences(tables: readonly Part[], names: readonly string[]): Set<string> {
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]) => {
    if (done.has(name) || path.includes(name)) return;
    const sql = tables.find((table) => table.name === name)?.sql ?? "";
    for (const [, parent = ""] of sql.matchAll(/REFERENCES "?(\w+)"?/g)) {
      visit(parent, [...path, name]);
    }
    done.add(name);
  };
  for (const name of names) visit(name, []);
  return done;
}

async function copyTable(reading: Transaction, target: Client, name: string): Promise<void> {
  const columns = await reading.execute(`SELECT name, pk FROM pragma_table_info('${name}')`);
  const all = columns.rows.map((row) => String(row.name));
  const key = columns.rows.filter((row) => Number(row.pk) > 0)
    .toSorted((one, other) => Number(one.pk) - Number(other.pk)).map((row) => String(row.name));
  const insert = `INSERT INTO ${name} (${all.join(", ")})
SELECT ${all.map((_, i) => `value ->> ${i}`).join(", ")} FROM json_each(?)`;
  let after: string | undefined;
  for (;;) {
    const page: string | undefined = await pageOf(reading, { name, all, key, after });
    if (page === undefined) return;
    await target.batch([{ sql: insert, args: [page] }], "write");
    after = page;
  }
}

/** The next rows as one text, after the last row of the text before. */
async function pageOf(
  reading: Transaction,
  { name, all, key, after }: {
    name: string;
    all: readonly string[];
    key: readonly string[];
    after: string | undefined;
  },
): Promise<string | undefined> {
  const keys = key.join(", ");
  const marks = key.map((column) => `? ->> '$[#-1][${all.indexOf(column)}]'`).join(", ");
  const from = after === undefined ? "" : `WHERE (${keys}) > (${marks})`;
  const { rows } = await reading.execute({
    sql: `SELECT count(*) AS count, json_group_array(json_array(${all.join(", ")})) AS page
FROM (SELECT * FROM ${name} ${from} ORDER BY ${keys} LIMIT ${ROWS_PER_PAGE})`,
    args: after === undefined ? [] : key.map(() => after),
  });
  return Number(rows[0]?.count) === 0 ? undefined : String(rows[0]?.page);
}

/** Ids of deleted rows are not given again. */
async function copyCounters(reading: Transaction, target: Client): Promise<void> {
  const { rows } = await reading.execute(
    "SELECT json_group_array(json_array(name, seq)) AS counters FROM sqlite_sequence",
  );
  await target.batch(
    [
      "DELETE FROM sqlite_sequence",
      {
        sql: `INSERT INTO sqlite_sequence (name, seq)
SELECT value ->> 0, value ->> 1 FROM json_each(?)`,
        args: [String(rows[0]?.counters)],
      },
    ],
    "write",
  );
}
