import { refuse } from "../domain/refusals/refuse.ts";
import { type SweepRow, Sweeps } from "./table.ts";
import { read } from "../store/engine/workspace.ts";
import { alertRead, closeAlert } from "../books/alerts.ts";
import { moveSweep } from "../books/move_sweep.ts";
import { recordAudit } from "../books/records.ts";
import type { Actor, Deps } from "../deps/deps.ts";

/** An operator has fixed what a parked sweep waited for. A waiting sweep becomes due at once. */
export async function retrySweep(
  deps: Deps,
  { id, actor }: { id: number; actor: Actor },
): Promise<SweepRow> {
  const alert = { kind: "sweep_parked", subject: `sweep:${id}` } as const;
  return await deps.db.write({
    reads: [read(Sweeps, [id]), alertRead(alert.kind, alert.subject)],
    decide: (view) => {
      const row = view.find(Sweeps, [id]);
      if (!row) throw refuse("sweep_unknown", { id });
      const nowMs = deps.clock.nowMs();
      const due = row.state === "waiting"
        ? view.update(Sweeps, row, { nextTryAtMs: nowMs })
        : moveSweep(view, { id, trigger: "retried", deposits: [], nowMs });
      if (!due) throw refuse("sweep_not_waiting", { id, state: row.state });
      // So that it waits for no company.
      const moved = view.update(Sweeps, due, { code: "retried" });
      closeAlert(view, { ...alert, nowMs });
      const detail = { from: row.state, to: moved.state };
      recordAudit(view, { actor, action: "sweep.retried", subject: `sweep:${id}`, detail, nowMs });
      return moved;
    },
  });
}
