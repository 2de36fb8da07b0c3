import { first } from "../../base/lists.ts";
import { resolveAlert } from "../../actions/operations/manage_alerts.ts";
import { alerts } from "../../store/reads/pages/lists.ts";
import { ACTOR, command, UsageError, withFallback } from "../command.ts";
import * as kind from "../../domain/kinds.ts";
import { alertShape } from "../shapes/shapes.ts";

const LISTED = 1000;

export const ALERT_COMMANDS = [
  command({
    words: ["alert", "list"],
    summary: "Lists what needs an operator's attention, newest first",
    flags: {
      state: withFallback(kind.choice(["open", "all"]), {
        help: "open: not resolved yet",
        example: "all",
        fallback: "open",
      }),
      limit: withFallback(kind.integer({ min: 1, max: 1_000_000 }), {
        help: "how many at most",
        example: "50",
        fallback: LISTED,
      }),
    },
    examples: ["alert list", "alert list --state all"],
    columns: ["id", "kind", "subject", "created_at", "message"],
    run: async (context, { flags: { state, limit } }) => {
      const rows = await alerts((await context.deps()).db, { isOpen: state === "open", limit });
      return rows.map(alertShape);
    },
  }),
  command({
    words: ["alert", "resolve"],
    summary: "Resolves an alert; its cause may raise a new one",
    positionals: [{ name: "ID", help: "the alert's id" }],
    flags: {},
    examples: ["alert resolve 7"],
    run: async (context, { positionals }) => {
      const id = kind.recordId.read(first(positionals));
      if (id === undefined) throw new UsageError(`"${positionals[0]}" is not an alert id`);
      return alertShape(await resolveAlert(await context.deps(), { id, actor: ACTOR }));
    },
  }),
];
