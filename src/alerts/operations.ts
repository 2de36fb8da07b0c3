import { ALERTS } from "./list.ts";
import { alertShape } from "./shapes.ts";
import type { AlertRow } from "./table.ts";
import { first } from "../base/lists.ts";
import * as kind from "../domain/kinds.ts";
import { isoUtc } from "../domain/time.ts";
import { found, limitFlag } from "../operations/lists/command.ts";
import { pageOf } from "../operations/lists/list.ts";
import {
  operation,
  optional,
  type Screen,
  UsageError,
  withFallback,
} from "../operations/operation.ts";
import { oneLine } from "../operations/screen/render.ts";
import { paint, wrapped } from "../operations/screen/screen.ts";
import { stepsFor } from "../operations/words/advice.ts";
import { resolveAlert } from "../upkeep/manage_alerts.ts";

const LIST_ALERTS = operation({
  words: ["alert", "list"],
  reads: "see_gateway",
  summary: "Lists what needs an operator's attention, newest first",
  flags: {
    state: withFallback(kind.choice(["open", "all"]), {
      help: "open: not resolved yet",
      example: "all",
      fallback: "open",
    }),
    kind: optional(ALERTS.filters.kind.kind, ALERTS.filters.kind),
    limit: limitFlag({ fallback: 1_000, max: 1_000_000 }),
  },
  examples: ["alert list", "alert list --state all"],
  run: async (context, { flags: { state, kind, limit } }) => {
    const deps = await context.deps();
    const values = { kind, open: state === "open" ? true : undefined };
    const { rows } = await found(
      context,
      { title: ALERTS.title, cursor: null, limit },
      (paged) => pageOf(deps, ALERTS, { accountId: null, values, ...paged }),
    );
    context.answer(rows.map(alertShape), (screen) => alertsText(rows, screen));
  },
});

export const RESOLVE_ALERT = operation({
  words: ["alert", "resolve"],
  changes: "operate",
  summary: "Resolves an alert; its cause may raise a new one",
  positionals: [{ name: "ID", help: "the alert's id" }],
  flags: {},
  examples: ["alert resolve 7"],
  run: async (context, { positionals }) => {
    const id = kind.recordId.read(first(positionals));
    if (id === undefined) throw new UsageError(`"${positionals[0]}" is not an alert id`);
    return alertShape(await resolveAlert(await context.deps(), { id, actor: context.actor }));
  },
});

export const ALERT_COMMANDS = [LIST_ALERTS, RESOLVE_ALERT];

const INDENT = 2;

/** A table would cut what people have to read. */
function alertsText(rows: readonly AlertRow[], screen: Screen): string {
  if (rows.length === 0) return "Nothing found.\n";
  const room = (screen.columns ?? Infinity) - INDENT;
  return rows.map((row) => {
    const steps = stepsFor(row);
    const head = [row.id, row.kind, row.subject, isoUtc(row.createdAtMs)].join("  ");
    const end = row.open === 1 ? "" : "  resolved";
    const lines = [
      ...wrapped(oneLine(row.message), room),
      ...steps === null ? [] : wrapped(oneLine(`-> ${steps}`), room),
    ];
    const text = lines.map((line) => `${" ".repeat(INDENT)}${line}\n`).join("");
    return `${paint(oneLine(head + end), "bold", screen)}\n${text}`;
  }).join("\n");
}
