import type { Db } from "./db.ts";

/** Signatures whose timestamps would be refused by themselves are kept no longer. */
export async function deleteExpiredSignatures(db: Db, nowMs: number): Promise<void> {
  await db.execute([{ sql: "DELETE FROM used_signatures WHERE expires_at_ms < ?", args: [nowMs] }]);
}
