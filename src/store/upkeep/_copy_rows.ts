import type { Client, Transaction } from "@libsql/client";
import { OperatorError } from "../../domain/refusal.ts";
import { marking } from "./_moved_mark.ts";

const ROWS_PER_PAGE = 1_000;
/** A server refuses texts of some megabytes, so of long rows fewer go together. */
const PAGE_CHARACTERS = 1_000_000;

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
    await copyFrom(reading, target);
    await copyTable(reading, target, { name: LAST_TABLE });
  } finally {
    reading.close();
  }
}

/**
 * Nobody writes meanwhile, and each row is read again and compared. The source is marked as moved
 * before the target is whole, so that at no moment both can be served. Returns each table's rows.
 */
export async function moveRows(
  source: Client,
  target: Client,
  { url, onRows = () => {}, onCompared = () => {} }: {
    /** The target's, without secrets. */
    url: string;
    onRows?(rows: { copied: number; of: number }): void;
    onCompared?(rows: { compared: number; of: number }): void;
  },
): Promise<Map<string, number>> {
  const reading = await source.transaction("write");
  try {
    const counts = await countsIn(reading);
    const of = [...counts.values()].reduce((sum, rows) => sum + rows, 0);
    let copied = 0;
    await copyFrom(reading, target, (rows) => onRows({ copied: copied += rows, of }));
    let compared = 0;
    for (const name of counts.keys()) {
      if (name === LAST_TABLE) continue;
      await compareTable(
        reading,
        target,
        name,
        (more) => onCompared({ compared: compared += more, of }),
      );
    }
    await reading.execute(marking(url));
    await reading.commit();
    await copyTable(source, target, { name: LAST_TABLE });
    return counts;
  } finally {
    reading.close();
  }
}

class OtherRows extends OperatorError {
  override name = "OtherRows";

  constructor(table: string) {
    super(`What arrived in ${table} is not what was sent, so the copy is not used`);
  }
}

async function countsIn(reading: Transaction): Promise<Map<string, number>> {
  const tables = (await partsOf(reading)).filter(({ type }) => type === "table");
  const counts = new Map<string, number>();
  for (const { name } of tables) {
    const { rows } = await reading.execute(`SELECT count(*) AS count FROM ${name}`);
    counts.set(name, Number(rows[0]?.count));
  }
  return counts;
}

/** All but the last table. */
async function copyFrom(
  reading: Transaction,
  target: Client,
  onRows: (rows: number) => void = () => {},
): Promise<void> {
  const parts = await partsOf(reading);
  const tables = parts.filter(({ type }) => type === "table");
  await target.batch(tables.map(({ sql }) => sql), "write");
  const names = tables.map(({ name }) => name).filter((name) => name !== LAST_TABLE);
  for (const name of inOrderOfReferences(tables, names)) {
    await copyTable(reading, target, { name, onRows });
  }
  await copyCounters(reading, target);
  // Indexes and triggers are created after all rows.
  const rest = parts.filter(({ type }) => type !== "table").map(({ sql }) => sql);
  if (rest.length > 0) await target.batch(rest, "write");
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

async function copyTable(
  reading: Pick<Client, "execute">,
  target: Client,
  { name, onRows = () => {} }: { name: string; onRows?: (rows: number) => void },
): Promise<void> {
  const columns = await columnsOf(reading, name);
  const insert = `INSERT INTO ${name} (${columns.all.join(", ")})
SELECT ${columns.all.map((_, i) => `value ->> ${i}`).join(", ")} FROM json_each(?)`;
  let after: string | undefined;
  let limit = ROWS_PER_PAGE;
  for (;;) {
    const page = await pageWithin(reading, { name, ...columns, after, limit });
    if (page.rows === 0) return;
    limit = page.limit;
    await target.batch([{ sql: insert, args: [page.text] }], "write");
    onRows(page.rows);
    after = page.text;
  }
}

async function compareTable(
  reading: Transaction,
  target: Client,
  name: string,
  onRows: (rows: number) => void,
): Promise<void> {
  const columns = await columnsOf(reading, name);
  let after: string | undefined;
  let limit = ROWS_PER_PAGE;
  for (;;) {
    const sent = await pageWithin(reading, { name, ...columns, after, limit });
    limit = sent.limit;
    const arrived = await pageOf(target, { name, ...columns, after, limit });
    if (sent.text !== arrived.text) throw new OtherRows(name);
    if (sent.rows === 0) return;
    onRows(sent.rows);
    after = sent.text;
  }
}

interface Columns {
  readonly all: readonly string[];
  readonly key: readonly string[];
}

async function columnsOf(reading: Pick<Client, "execute">, name: string): Promise<Columns> {
  const { rows } = await reading.execute(`SELECT name, pk FROM pragma_table_info('${name}')`);
  const key = rows.filter((row) => Number(row.pk) > 0)
    .toSorted((one, other) => Number(one.pk) - Number(other.pk)).map((row) => String(row.name));
  return { all: rows.map((row) => String(row.name)), key };
}

interface Page {
  readonly rows: number;
  readonly text: string;
}

interface Asked extends Columns {
  readonly name: string;
  readonly after: string | undefined;
  readonly limit: number;
}

/** As many rows as fit, with the limit that they took. */
async function pageWithin(
  database: Pick<Client, "execute">,
  asked: Asked,
): Promise<Page & { limit: number }> {
  for (let { limit } = asked;; limit = Math.floor(limit / 2)) {
    const page = await pageOf(database, { ...asked, limit });
    if (page.text.length <= PAGE_CHARACTERS || page.rows <= 1) return { ...page, limit };
  }
}

/** The next rows as one text, after the last row of the text before. */
async function pageOf(
  database: Pick<Client, "execute">,
  { name, all, key, after, limit }: Asked,
): Promise<Page> {
  const keys = key.join(", ");
  const marks = key.map((column) => `? ->> '$[#-1][${all.indexOf(column)}]'`).join(", ");
  const from = after === undefined ? "" : `WHERE (${keys}) > (${marks})`;
  const { rows } = await database.execute({
    sql: `SELECT count(*) AS count, json_group_array(json_array(${all.join(", ")})) AS page
FROM (SELECT * FROM ${name} ${from} ORDER BY ${keys} LIMIT ${limit})`,
    args: after === undefined ? [] : key.map(() => after),
  });
  return { rows: Number(rows[0]?.count), text: String(rows[0]?.page) };
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
