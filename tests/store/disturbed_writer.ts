import type { InStatement, ResultSet } from "@libsql/client";
import { systemClock } from "../../src/base/clock.ts";
import { WriteFault, type WriteFaultKind, writeFaultOf } from "../../src/store/faults.ts";
import { type Connection, GroupCommit } from "../../src/store/group_commit.ts";
import { TABLES } from "../../src/store/tables.ts";
import type { TestDatabase } from "./databases.ts";

export type Mode = "read" | "write";
export type Forward = () => Promise<ResultSet[]>;
/** Stands between the writer and its connection; `nth` counts batches of this mode from 1. */
export type Disturbance = (
  forward: Forward,
  batch: { mode: Mode; nth: number },
) => Promise<ResultSet[]>;

export function disturbed(
  database: TestDatabase,
  disturb: Disturbance,
  instance = "me",
): GroupCommit {
  const client = database.client();
  const counts = { read: 0, write: 0 };
  const connection: Connection = {
    batch: (statements: InStatement[], mode: Mode) => {
      const forward = async () => {
        try {
          return await client.batch(statements, mode);
        } catch (error) {
          throw writeFaultOf(error) ?? error;
        }
      };
      return disturb(forward, { mode, nth: ++counts[mode] });
    },
  };
  return new GroupCommit({ connection, tables: TABLES, instance, clock: systemClock });
}

export const fault = (kind: WriteFaultKind) =>
  new WriteFault(kind, { cause: new Error(`${kind} by test`) });

/** The pauses between attempts are random up to a bound: here each is as short as it can be. */
export async function withoutPauses<T>(work: () => Promise<T>): Promise<T> {
  const { random } = Math;
  Math.random = () => 0;
  try {
    return await work();
  } finally {
    Math.random = random;
  }
}
