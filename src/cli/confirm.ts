import { OperatorError } from "../domain/refusal.ts";
import type { Context } from "./command.ts";

/** Throws unless the word is typed. */
export async function confirm(
  context: Context,
  { word, warning }: { word: string; warning: string },
): Promise<void> {
  if (!context.isJson || context.host.isTerminal) {
    context.note(warning);
    context.host.writeError(`Type ${word} to continue: `);
  }
  const answer = await context.host.readLine();
  if (answer?.trim() !== word) throw new OperatorError(`Not confirmed with "${word}"`);
}
