import { first } from "../../base/lists.ts";
import { once } from "../../base/once.ts";
import { OperatorError } from "../../domain/refusal.ts";

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** What the migrations up to a version make of an empty database. */
export interface Baseline {
  readonly version: number;
  readonly sql: string;
}

const FOLDER = new URL("../../../migrations/", import.meta.url);

const own = once(() => readMigrations(FOLDER));

/** In order; those that came with the program are read once. */
export function loadMigrations(folder: URL = FOLDER): Promise<readonly Migration[]> {
  return folder === FOLDER ? own() : readMigrations(folder);
}

async function readMigrations(folder: URL): Promise<Migration[]> {
  const names: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    if (/^\d{4}_\w+\.sql$/.test(entry.name)) names.push(entry.name);
  }
  return await Promise.all(
    names.sort().map(async (file) => ({
      version: Number(file.slice(0, 4)),
      name: file.replace(/\.sql$/, ""),
      sql: await Deno.readTextFile(new URL(file, folder)),
    })),
  );
}

const ownBaseline = once(readBaseline);

/** For a new database; made from the migrations by `deno task baseline`. */
export function loadBaseline(): Promise<Baseline> {
  return ownBaseline();
}

async function readBaseline(): Promise<Baseline> {
  const sql = await Deno.readTextFile(new URL("baseline.sql", FOLDER));
  return { version: Number(/^-- version (\d+)$/m.exec(sql)?.[1]), sql };
}

/** A statement ends with a line ending in ";", a trigger with the line "END;". */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let lines: string[] = [];
  for (const line of sql.split("\n")) {
    if (lines.length === 0 && (line.trim() === "" || line.startsWith("--"))) continue;
    lines.push(line);
    const isTrigger = first(lines).startsWith("CREATE TRIGGER");
    if (isTrigger ? line === "END;" : line.endsWith(";")) {
      statements.push(lines.join("\n"));
      lines = [];
    }
  }
  if (lines.length > 0) throw new OperatorError(`A migration ends without ";": ${lines[0]}`);
  return statements;
}
