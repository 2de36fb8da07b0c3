import type { Deps } from "./deps.ts";

/** Drops what has outlived its use: signatures whose timestamps would be refused by themselves. */
export async function pruneUsedSignatures(deps: Deps): Promise<void> {
  await deps.db.execute([{
    sql: "DELETE FROM used_signatures WHERE expires_at_ms < ?",
    args: [deps.clock.nowMs()],
  }]);
}
