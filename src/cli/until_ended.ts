import { OperatorError } from "../domain/refusal.ts";
import type { Listening } from "./host.ts";

/** A program that nobody can connect to any more ends: a supervisor starts it again. */
export async function untilEnded({ lost }: Listening, ended: Promise<void>): Promise<void> {
  const cause = await Promise.race([ended, lost]);
  if (cause === undefined) return;
  throw new OperatorError(`No connections can be accepted any more: ${cause}`, { cause });
}
