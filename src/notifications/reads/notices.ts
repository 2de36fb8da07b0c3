import type { AlertKind } from "../../alerts/rules/alert_kinds.ts";
import type { Db } from "../../store/engine/db.ts";
import {
  type AlertRow,
  Alerts,
  type NoticeReceiverRow,
  NoticeReceivers,
  type NoticeRow,
  Notices,
} from "../../alerts/table.ts";

export function noticeReceivers(db: Db): Promise<NoticeReceiverRow[]> {
  return db.rows(NoticeReceivers, "ORDER BY id");
}

export function noticesAfter(
  db: Db,
  { id, limit }: { id: number; limit: number },
): Promise<NoticeRow[]> {
  return db.rows(Notices, "WHERE id > ? ORDER BY id LIMIT ?", [id, limit]);
}

export async function newestNoticeId(db: Db): Promise<number> {
  const [row] = await db.rows(Notices, "ORDER BY id DESC LIMIT 1");
  return row?.id ?? 0;
}

/** Open ones of which nobody was notified since then, however many others are open. */
export function alertsToRemindOf(
  db: Db,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<AlertRow[]> {
  return db.rows(
    Alerts,
    `INDEXED BY alerts_waiting
WHERE open = 1 AND coalesce(noticed_at_ms, created_at_ms) <= ? ORDER BY id LIMIT ?`,
    [beforeMs, limit],
  );
}

export function openAlertsOf(db: Db, kind: AlertKind): Promise<AlertRow[]> {
  return db.rows(Alerts, "INDEXED BY alerts_waiting WHERE open = 1 AND kind = ? ORDER BY id", [
    kind,
  ]);
}
