import { AuditLog, type AuditRow } from "../table.ts";
import type { Db, SqlValue } from "../../store/engine/db.ts";

interface AuditFilter {
  readonly actor: string | null;
  readonly subject: string | null;
  /** Rows older than this id. */
  readonly cursor: number | null;
  readonly limit: number;
}

/** Newest first. */
export function auditPage(db: Db, filter: AuditFilter): Promise<AuditRow[]> {
  const where: string[] = [];
  const args: SqlValue[] = [];
  const add = (condition: string, value: SqlValue) => {
    if (value === null) return;
    where.push(condition);
    args.push(value);
  };
  // A subject has few rows, but an actor may have most of them, so the actor's index is used only
  // alone.
  add(filter.subject === null ? "actor = ?" : "+actor = ?", filter.actor);
  add("subject = ?", filter.subject);
  add("id < ?", filter.cursor);
  const condition = where.length === 0 ? "" : `WHERE ${where.join(" AND ")} `;
  return db.rows(AuditLog, `${condition}ORDER BY id DESC LIMIT ?`, [...args, filter.limit]);
}
