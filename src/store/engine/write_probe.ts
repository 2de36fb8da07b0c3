import type { Clock } from "../../base/clock.ts";
import { WriteFault } from "../connection/faults.ts";

const PAUSE_MS = 1_000;

interface Executing {
  execute(statements: readonly { sql: string }[]): Promise<void>;
}

/** Writes more than a few free pages hold, in a row that is gone before anybody can see it. */
export async function tryWrite({ execute }: Executing): Promise<void> {
  await execute([
    {
      sql: `INSERT INTO used_signatures (signature, expires_at_ms)
VALUES (hex(zeroblob(50000)), 0)`,
    },
    { sql: "DELETE FROM used_signatures WHERE expires_at_ms = 0" },
  ]);
}

/** While the database is full, perhaps nobody writes, so somebody has to try whether it works again. */
export function writeProbe({ writer, execute, clock }: Executing & {
  writer: { readonly isStuck: boolean; isFailing: boolean };
  clock: Clock;
}): () => Promise<boolean> {
  let triedAtMs = -Infinity;
  return async () => {
    const nowMs = clock.nowMs();
    if (writer.isStuck) return false;
    if (!writer.isFailing) return true;
    if (Math.abs(nowMs - triedAtMs) < PAUSE_MS) return false;
    triedAtMs = nowMs;
    try {
      await tryWrite({ execute });
      writer.isFailing = false;
      return true;
    } catch (error) {
      if (error instanceof WriteFault) return false;
      throw error;
    }
  };
}
