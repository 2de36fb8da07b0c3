import { refuse } from "../domain/refusals/refuse.ts";
import { type AlertRow, Alerts } from "../alerts/table.ts";
import { read } from "../store/engine/workspace.ts";
import { resolve } from "../books/alerts.ts";
import { recordAudit } from "../books/records.ts";
import type { Actor, Deps } from "../deps/deps.ts";

/** An operator has dealt with it. If the cause occurs again, there is a new alert. */
export async function resolveAlert(
  deps: Deps,
  { id, actor }: { id: number; actor: Actor },
): Promise<AlertRow> {
  return await deps.db.write({
    reads: [read(Alerts, [id])],
    decide: (view) => {
      const row = view.find(Alerts, [id]);
      if (!row) throw refuse("alert_unknown", { id });
      if (row.open === null) throw refuse("alert_resolved", { id });
      if (row.kind === "stopped") throw refuse("alert_stays", { id });
      const nowMs = deps.clock.nowMs();
      const detail = { kind: row.kind, about: row.subject, from: "open", to: "resolved" };
      recordAudit(view, { actor, action: "alert.resolved", subject: `alert:${id}`, detail, nowMs });
      return resolve(view, { row, nowMs });
    },
  });
}
