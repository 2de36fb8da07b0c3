import type { Db } from "../store/engine/db.ts";
import { auditPage } from "../audit/reads/page.ts";
import { recordAudit } from "../books/records.ts";
import type { Actor, Deps } from "../deps/deps.ts";

const SUBJECT = "backup";

export interface BackupNote {
  readonly file: string;
  readonly atMs: number;
}

/** In the database that was copied, so that its age can be watched. */
export async function noteBackup(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { file, actor }: { file: string; actor: Actor },
): Promise<void> {
  const nowMs = clock.nowMs();
  const entry = { action: "backup.made", subject: SUBJECT, detail: { file } } as const;
  await db.write({ reads: [], decide: (view) => recordAudit(view, { ...entry, actor, nowMs }) });
}

/** Undefined if none was noted here, which says nothing about copies made by other means. */
export async function lastBackup(db: Db): Promise<BackupNote | undefined> {
  const newest = { actor: null, subject: SUBJECT, cursor: null, limit: 1 };
  const [row] = await auditPage(db, newest);
  if (!row) return undefined;
  return { file: String(row.detail.file), atMs: row.atMs };
}
