import { OperatorError } from "../domain/refusal.ts";
import type { Listener } from "../actions/networks/check_nodes.ts";
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

/** A question on a terminal; elsewhere a warning, since nobody could answer. */
export function asking(context: Context, { isForced }: { isForced: boolean }): Listener {
  const { host } = context;
  const isAsked = host.isTerminal && host.isInTerminal && !context.isJson;
  return {
    note: (line) => context.note(line),
    warn: (line) => context.warn(line),
    ask: async (why) => {
      if (isForced || !isAsked) return context.warn(why);
      await confirm(context, { word: "yes", warning: `${why}.` });
    },
  };
}
