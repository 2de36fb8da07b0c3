import type { Client, InArgs } from "@libsql/client";

/** The database's plan for a statement, one step a line. */
export async function planOf(
  client: Client,
  { sql, args }: { sql: string; args: InArgs },
): Promise<string[]> {
  const { rows } = await client.execute({ sql: `EXPLAIN QUERY PLAN ${sql}`, args });
  return rows.map((row) => String(row.detail));
}

/** The tables and indexes of the database. */
interface Parts {
  readonly tables: ReadonlySet<string>;
  /** They hold only the few rows that wait for something. */
  readonly partialIndexes: ReadonlySet<string>;
}

export async function partsOf(client: Client): Promise<Parts> {
  const { rows } = await client.execute("SELECT type, name, sql FROM sqlite_master");
  const named = (type: string, sql = /^/) =>
    new Set(
      rows.filter((row) => row.type === type && sql.test(String(row.sql)))
        .map((row) => String(row.name)),
    );
  return { tables: named("table"), partialIndexes: named("index", /\bWHERE\b/) };
}

/** The tables that a plan reads from end to end, by their own names. */
export function scannedTables(
  plan: readonly string[],
  { sql, parts: { tables, partialIndexes } }: { sql: string; parts: Parts },
): string[] {
  return plan.filter((step) => !step.includes("VIRTUAL TABLE")).flatMap((step) => {
    const [, name, index] = /^SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/.exec(step) ?? [];
    if (name === undefined || (index !== undefined && partialIndexes.has(index))) return [];
    if (tables.has(name)) return isForRepairs(name, sql) ? [] : [name];
    const named = sql.matchAll(new RegExp(`\\b(\\w+)\\s+AS\\s+${name}\\b`, "g"));
    return [...named].map(([, table]) => table!).filter((table) => tables.has(table));
  });
}

/**
 * A new row may be the one that others already refer to. Nobody looks for those while no reference
 * is broken, and then the statement has failed.
 */
function isForRepairs(table: string, sql: string): boolean {
  return sql.startsWith("INSERT") && !new RegExp(`\\b${table}\\b`).test(sql);
}

interface TriggerStatement {
  readonly trigger: string;
  readonly sql: string;
}

/** The statements of triggers, except refusals, with a parameter for each value of the row. */
export async function triggerStatements(client: Client): Promise<TriggerStatement[]> {
  const { rows } = await client.execute(
    "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'",
  );
  return rows.flatMap((row) => {
    const body = /\bBEGIN\b([\s\S]*)\bEND$/.exec(String(row.sql).trim())![1]!;
    return body.split(/;\s*(?:\n|$)/).map((sql) => sql.trim())
      .filter((sql) => sql !== "" && !sql.startsWith("SELECT RAISE"))
      .map((sql) => ({
        trigger: String(row.name),
        sql: sql.replace(/\b(NEW|OLD)\.\w+/g, "?"),
      }));
  });
}
