import type { Db } from "../../engine/db.ts";
import { type Condition, equal, type PageOf, pageOf } from "./page.ts";
import type { Paged } from "../lists/order.ts";
import { type AlertRow, Alerts } from "../../tables/alerts.ts";

interface AlertQuery extends Paged {
  readonly isOpen: boolean;
  readonly kind: string | null;
}

export function alertList(db: Db, query: AlertQuery): Promise<PageOf<AlertRow>> {
  const { isOpen, kind, ...paged } = query;
  const open: Condition[] = isOpen ? [["open = 1"]] : [];
  // No index orders by kind, so the next rows are searched.
  const conditions = [...open, ...equal({ kind }).map(withoutIndex)];
  return pageOf(db, Alerts, { conditions, isWide: kind !== null, ...paged });
}

function withoutIndex([sql, ...values]: Condition): Condition {
  return [`+${sql}`, ...values];
}

/** Of one account; null: those of no account. */
export async function openTampered(db: Db, accountId: number | null): Promise<AlertRow[]> {
  const rows = await db.rows(Alerts, "WHERE kind = 'tampered' AND open = 1 ORDER BY id");
  const prefix = accountId === null ? undefined : `account:${accountId} `;
  return rows.filter(({ subject }) =>
    prefix === undefined ? !subject.startsWith("account:") : subject.startsWith(prefix)
  );
}
