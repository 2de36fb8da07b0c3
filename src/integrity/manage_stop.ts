import { type StopRow, Stops } from "./table.ts";
import type { Db } from "../store/engine/db.ts";
import { alertRead, closeAlert, insertAlert, logAlert } from "../books/alerts.ts";
import { GATEWAY, RESUMED, STOPPED } from "../books/trail.ts";
import { recordAudit } from "../books/records.ts";
import { isStopped, NotSignedYet, STOP_ID, stopIn, stopRead } from "../books/stopped.ts";
import type { Actor, Deps } from "../deps/deps.ts";

const ALERT = { kind: "stopped", subject: GATEWAY } as const;

interface StopOrder {
  readonly reason: string | null;
  readonly actor: Actor;
}

/** From this commit on no instance signs anything. Stopping again can change the reason. */
export async function stopSigning(deps: Deps, { reason, actor }: StopOrder): Promise<StopRow> {
  const nowMs = deps.clock.nowMs();
  const message = "All signing is stopped" + (reason === null ? "" : `: ${reason}`);
  const alert = { ...ALERT, message, advice: { code: "resume_signing" } } as const;
  const { row, isNew } = await deps.db.write({
    reads: [stopRead(), alertRead(ALERT.kind, ALERT.subject)],
    decide: (view) => {
      const before = stopIn(view);
      if (before && (reason === null || reason === before.reason)) return { row: before };
      const after = { reason, stoppedAtMs: before?.stoppedAtMs ?? nowMs };
      const detail = { before: before ? saidOf(before) : null, after };
      recordAudit(view, { actor, action: STOPPED, subject: GATEWAY, detail, nowMs });
      if (before) return { row: view.update(Stops, before, { reason }) };
      const row = view.insertKeyed(Stops, { id: STOP_ID, reason, stoppedAtMs: nowMs });
      return { row, isNew: insertAlert(view, { ...alert, nowMs }) };
    },
  });
  if (isNew) logAlert(deps, alert);
  return row;
}

function saidOf({ reason, stoppedAtMs }: StopRow) {
  return { reason, stoppedAtMs };
}

/** Waiting payments continue by themselves. */
export async function resumeSigning(deps: Deps, { actor }: { actor: Actor }): Promise<void> {
  const nowMs = deps.clock.nowMs();
  await deps.db.write({
    reads: [stopRead(), alertRead(ALERT.kind, ALERT.subject)],
    decide: (view) => {
      const row = stopIn(view);
      if (!row) return;
      view.remove(Stops, row);
      closeAlert(view, { ...ALERT, nowMs });
      const detail = { before: saidOf(row), after: null };
      recordAudit(view, { actor, action: RESUMED, subject: GATEWAY, detail, nowMs });
    },
  });
}

export async function findStop(db: Db): Promise<StopRow | undefined> {
  return await db.find(Stops, [STOP_ID]);
}

/**
 * Deleting the row of a stop is not resuming: the log still has the stop, and it is restored.
 * `lookAgain` reads the log again, because an operator may have resumed meanwhile.
 */
export async function keepStopped(deps: Deps, lookAgain: () => Promise<unknown>): Promise<void> {
  const { withdrawalTrail } = deps.memory;
  if (!withdrawalTrail.isStopped) return;
  if (!await isStopped(deps)) {
    await lookAgain();
    if (!withdrawalTrail.isStopped) return;
    const reason = "the stop was taken out of the database, and nobody had resumed";
    await stopSigning(deps, { reason, actor: "worker" });
  }
  throw new NotSignedYet("Nothing is signed until an operator resumes");
}
