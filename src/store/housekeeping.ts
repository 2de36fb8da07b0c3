import type { Db } from "./db.ts";

/** Once their timestamps are refused by themselves, signatures need not be kept. */
export async function deleteExpiredSignatures(db: Db, beforeMs: number): Promise<void> {
  const sql = "DELETE FROM used_signatures WHERE expires_at_ms < ?";
  await db.execute([{ sql, args: [beforeMs] }]);
}

/** What could let nobody in any more, and tries that are forgotten. */
export async function deleteExpiredSignIns(db: Db, nowMs: number): Promise<void> {
  await db.execute(
    ["sessions", "throttles"].map((table) => ({
      sql: `DELETE FROM ${table} WHERE ends_at_ms < ?`,
      args: [nowMs],
    })),
  );
}
