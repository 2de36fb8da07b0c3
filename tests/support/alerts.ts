import { type AlertRow, Alerts } from "../../src/alerts/table.ts";
import type { Db } from "../../src/store/engine/db.ts";

/** Newest first. */
export function alerts(
  db: Db,
  { isOpen, limit }: { isOpen: boolean; limit: number },
): Promise<AlertRow[]> {
  return db.rows(Alerts, `WHERE ${isOpen ? "open = 1" : "true"} ORDER BY id DESC LIMIT ?`, [limit]);
}
