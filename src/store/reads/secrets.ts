import type { Db } from "../engine/db.ts";
import { Secrets } from "../tables/setup.ts";

export async function hasSecrets(db: Db): Promise<boolean> {
  return (await db.rows(Secrets, "LIMIT 1")).length > 0;
}
