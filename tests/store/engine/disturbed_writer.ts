import { systemClock } from "../../../src/base/clock.ts";
import { WriteFault, type WriteFaultKind } from "../../../src/store/connection/faults.ts";
import type { Answer, Connection, Mode } from "../../../src/store/connection/connection.ts";
import { GroupCommit } from "../../../src/store/engine/group_commit.ts";
import { TABLES } from "../../../src/store/tables/tables.ts";
import type { TestDatabase } from "../databases.ts";

export type Forward = () => Promise<readonly Answer[]>;
/** Stands between the writer and its connection; `nth` counts batches of this mode from 1. */
export type Disturbance = (
  forward: Forward,
  batch: { mode: Mode; nth: number },
) => Promise<readonly Answer[]>;

export function disturbed(
  database: TestDatabase,
  disturb: Disturbance,
  { instance = "me", ...limits }: { instance?: string; callerMs?: number } = {},
): GroupCommit {
  const opening = database.connect();
  const counts = { read: 0, write: 0 };
  const connection: Connection = {
    batch: (statements, mode) => {
      const forward = async () => await (await opening).batch(statements, mode);
      return disturb(forward, { mode, nth: ++counts[mode] });
    },
  };
  return new GroupCommit({ connection, tables: TABLES, instance, clock: systemClock, ...limits });
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
