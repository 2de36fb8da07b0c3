import type { Db } from "../engine/db.ts";
import { Secrets } from "../tables/secrets.ts";
import { MasterKeys } from "../../upkeep/table.ts";

export async function hasSecrets(db: Db): Promise<boolean> {
  return (await db.rows(Secrets, "LIMIT 1")).length > 0;
}

/** Claimed before the first secret is stored. */
export async function hasMasterKey(db: Db): Promise<boolean> {
  return (await db.rows(MasterKeys, "LIMIT 1")).length > 0;
}
