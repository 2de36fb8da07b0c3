import type { Db } from "./db.ts";
import type { NetworkCursorRow } from "./rows.ts";
import { NetworkCursors } from "./tables.ts";

/** How far each active network was read. */
export function networkHealth(db: Db): Promise<NetworkCursorRow[]> {
  return db.rows(
    NetworkCursors,
    "WHERE network IN (SELECT code FROM networks WHERE is_active = 1) ORDER BY network",
  );
}
