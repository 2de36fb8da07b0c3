import type { Db } from "./db.ts";
import { Secrets } from "./setup_tables.ts";

export async function hasSecrets(db: Db): Promise<boolean> {
  return (await db.rows(Secrets, "LIMIT 1")).length > 0;
}
