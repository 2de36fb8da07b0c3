import type { Db } from "../store/engine/db.ts";
import type { Listing } from "../store/lists/listing.ts";
import { type AlertRow, Alerts } from "./table.ts";

export const ALERTS_LISTED: Listing<AlertRow> = {
  table: Alerts,
  time: "created_at_ms",
  // No index orders by kind.
  ways: [[{ index: "alerts_waiting", columns: ["open"], where: "open = 1" }]],
};

/** Of one account; null: those of no account. */
export async function openTampered(db: Db, accountId: number | null): Promise<AlertRow[]> {
  const rows = await db.rows(Alerts, "WHERE kind = 'tampered' AND open = 1 ORDER BY id");
  const prefix = accountId === null ? undefined : `account:${accountId} `;
  return rows.filter(({ subject }) =>
    prefix === undefined ? !subject.startsWith("account:") : subject.startsWith(prefix)
  );
}
