import { type StopRow, Stops } from "../store/stop_table.ts";
import type { Db } from "../store/db.ts";
import { alertRead, closeAlert, insertAlert, tellAlert } from "./_alerts.ts";
import { recordAudit } from "./_records.ts";
import { STOP_ID, stopIn, stopRead } from "./_stopped.ts";
import type { Actor, Deps } from "./deps.ts";

const ALERT = { kind: "stopped", subject: "gateway" } as const;

interface StopOrder {
  readonly reason: string | null;
  readonly actor: Actor;
}

/** From this commit on nothing is signed, by whatever instance. Stopping again may give a reason. */
export async function stopSigning(deps: Deps, { reason, actor }: StopOrder): Promise<StopRow> {
  const nowMs = deps.clock.nowMs();
  const alert = {
    ...ALERT,
    message: "All signing is stopped" + (reason === null ? "" : `: ${reason}`) +
      '; "resume" lets it go on',
  };
  const { row, isNew } = await deps.db.write({
    reads: [stopRead(), alertRead(ALERT.kind, ALERT.subject)],
    decide: (view) => {
      const before = stopIn(view);
      if (before && (reason === null || reason === before.reason)) return { row: before };
      const detail = reason === null ? {} : { reason };
      recordAudit(view, { actor, action: "gateway.stopped", subject: "gateway", detail, nowMs });
      if (before) return { row: view.update(Stops, before, { reason }) };
      const row = view.insertKeyed(Stops, { id: STOP_ID, reason, stoppedAtMs: nowMs });
      return { row, isNew: insertAlert(view, { ...alert, nowMs }) };
    },
  });
  if (isNew) tellAlert(deps, alert);
  return row;
}

/** What waited goes on by itself. */
export async function resumeSigning(deps: Deps, { actor }: { actor: Actor }): Promise<void> {
  const nowMs = deps.clock.nowMs();
  await deps.db.write({
    reads: [stopRead(), alertRead(ALERT.kind, ALERT.subject)],
    decide: (view) => {
      const row = stopIn(view);
      if (!row) return;
      view.remove(Stops, row);
      closeAlert(view, { ...ALERT, nowMs });
      const detail = { reason: row.reason, stoppedAtMs: row.stoppedAtMs };
      recordAudit(view, { actor, action: "gateway.resumed", subject: "gateway", detail, nowMs });
    },
  });
}

export async function findStop(db: Db): Promise<StopRow | undefined> {
  return await db.find(Stops, [STOP_ID]);
}
