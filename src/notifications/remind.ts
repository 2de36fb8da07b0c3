import { REMINDER_MS } from "./rules/notices.ts";
import { alertsToRemindOf } from "./reads/notices.ts";
import { Alerts } from "../alerts/table.ts";
import { readAll } from "../store/engine/workspace.ts";
import { noticeAlert } from "../books/alerts.ts";
import type { Deps } from "../deps/deps.ts";

const AT_ONCE = 500;

/** Once a day for each alert that is still open. */
export async function remindOfAlerts({ db, clock }: Deps): Promise<void> {
  const nowMs = clock.nowMs();
  const due = await alertsToRemindOf(db, { beforeMs: nowMs - REMINDER_MS, limit: AT_ONCE });
  if (due.length === 0) return;
  await db.write({
    reads: readAll(Alerts, due.map(({ id }) => [id])),
    decide: (view) => {
      for (const { id, noticedAtMs } of due) {
        const alert = view.find(Alerts, [id]);
        if (!alert?.open || alert.noticedAtMs !== noticedAtMs) continue;
        noticeAlert(view, { alert, is: "Still open", nowMs });
        view.update(Alerts, alert, { noticedAtMs: nowMs });
      }
    },
  });
}
