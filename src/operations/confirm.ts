import type { Listener } from "../networks/check_nodes.ts";
import type { Asking } from "./operation.ts";

/** A question on a terminal; elsewhere a warning, since nobody could answer. */
export function asking(context: Asking, { isForced }: { isForced: boolean }): Listener {
  return {
    note: (line) => context.note(line),
    warn: (line) => context.warn(line),
    ask: async (why) => {
      if (isForced || !context.isAsked) return context.warn(why);
      await context.confirm({ word: "yes", warning: `${why}.` });
    },
  };
}
