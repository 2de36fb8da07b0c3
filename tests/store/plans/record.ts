import type { InArgs } from "@libsql/client";
import { FileConnection } from "../../../src/store/connection/file_connection.ts";

/** Each text that was run, with the values of one time. */
interface Recording extends Disposable {
  readonly statements: ReadonlyMap<string, InArgs>;
}

/** Records all statements that this process sends to embedded databases until it is disposed of. */
export function recordStatements(): Recording {
  const statements = new Map<string, InArgs>();
  const { prototype } = FileConnection;
  const { batch } = prototype;
  prototype.batch = function (all, mode) {
    for (const { sql, args } of all) statements.set(sql, [...args]);
    return batch.call(this, all, mode);
  };
  return { statements, [Symbol.dispose]: () => void (prototype.batch = batch) };
}
