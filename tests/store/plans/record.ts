import type { InArgs } from "@libsql/client";
import { FileConnection } from "../../../src/store/connection/file_connection.ts";

/** Each text that was run, with the values of one time. */
type Statements = ReadonlyMap<string, InArgs>;

/** Records all statements that this process sends to embedded databases from now on. */
export function recordStatements(): Statements {
  const statements = new Map<string, InArgs>();
  const { prototype } = FileConnection;
  const { batch } = prototype;
  prototype.batch = function (all, mode) {
    for (const { sql, args } of all) statements.set(sql, [...args]);
    return batch.call(this, all, mode);
  };
  return statements;
}
