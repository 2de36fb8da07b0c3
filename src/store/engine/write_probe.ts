import { type Clock, sleep } from "../../base/clock.ts";
import { answerWithin, NoAnswer } from "../connection/answer_limits.ts";
import { fullText, isDiskFull } from "../connection/disk_room.ts";
import { WriteFault } from "../connection/faults.ts";

const PAUSE_MS = 1_000;
const BUSY_PAUSE_MS = 50;

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

const PATIENCE_MS = 3_000;
const ANSWER_MS = 5_000;

/** Whether a write succeeds now, and if not, why not. Others may be writing: it waits for them. */
export async function whyNoWrites(db: Executing, { url }: { url: string }): Promise<string | null> {
  const untilMs = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      await answerWithin(ANSWER_MS, tryWrite(db));
      return null;
    } catch (error) {
      if (isDiskFull(error)) return await fullText(url);
      if (!(error instanceof WriteFault || error instanceof NoAnswer)) throw error;
      const isBusy = error instanceof WriteFault && error.kind === "busy";
      if (!isBusy || performance.now() >= untilMs) return error.message;
      await sleep(BUSY_PAUSE_MS);
    }
  }
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
