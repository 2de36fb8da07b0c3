import type { InArgs, InStatement } from "@libsql/client";
import { Sqlite3Client, Sqlite3Transaction } from "@libsql/client/sqlite3";

/** Each text that was run, with the values of one time. */
export type Statements = ReadonlyMap<string, InArgs>;

/** What every embedded database of this process is asked from now on, noted where it leaves for the database. */
export function recordStatements(): Statements {
  const statements = new Map<string, InArgs>();
  const note = (statement: InStatement | readonly [string, InArgs?], args: InArgs = []) => {
    if (typeof statement === "string") statements.set(statement, args);
    else if ("sql" in statement) statements.set(statement.sql, statement.args ?? []);
    else statements.set(statement[0], statement[1] ?? []);
  };
  for (const { prototype } of [Sqlite3Client, Sqlite3Transaction]) {
    const { execute, batch } = prototype;
    prototype.execute = function (this: never, statement: InStatement, args?: InArgs) {
      note(statement, args);
      return execute.call(this, statement as string, args);
    } as typeof execute;
    prototype.batch = function (this: never, all: InStatement[], mode?: never) {
      for (const statement of all) note(statement);
      return batch.call(this, all, mode);
    } as typeof batch;
  }
  return statements;
}
