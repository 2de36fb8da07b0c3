import { OperatorError } from "../domain/refusal.ts";
import type { Listening } from "./host.ts";

/** If nobody can connect any more, the program ends, and a supervisor restarts it. */
export async function untilEnded({ lost }: Listening, ended: Promise<void>): Promise<void> {
  const cause = await Promise.race([ended, lost]);
  if (cause === undefined) return;
  throw new OperatorError(`No connections can be accepted any more: ${cause}`, { cause });
}
