import type { Config } from "./config.ts";
import { proveMasterKey } from "../../upkeep/open_key_ring.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { createVault } from "../../keys/vault.ts";
import { assertDatabaseThere } from "../../store/connection/database_there.ts";
import { type Db, openDb } from "../../store/engine/db.ts";
import { hasMasterKey } from "../../store/reads/secrets.ts";
import { migrationsLeft } from "../../store/upkeep/migrate.ts";
import { loadMigrations } from "../../store/upkeep/migration_files.ts";
import { withFittingKeyFile } from "./fitting_key_file.ts";
import { loadMasterKey } from "./master_key.ts";

/**
 * Throws if the master key doesn't open the database. Only reads, so a database of an older version
 * isn't asked.
 */
export async function proveKey(config: Config): Promise<void> {
  const { databaseUrl: url, databaseToken: token } = config;
  await assertDatabaseThere({ url, token });
  const db = await openDb({ url, token });
  try {
    if ((await migrationsLeft(db, await loadMigrations())).length > 0) return;
    await proveKeyOf(db, config);
  } catch (error) {
    // Whoever works with the database next says what else is wrong with it.
    if (error instanceof OperatorError) throw error;
  } finally {
    await db.close();
  }
}

async function proveKeyOf(db: Db, config: Config): Promise<void> {
  try {
    const { key } = await loadMasterKey(config, { db, mustExist: true });
    await proveMasterKey({ db, vault: await createVault(key) });
  } catch (error) {
    throw error instanceof Error ? await withFittingKeyFile(error, { config, db }) : error;
  }
}

/** Before a database of an older version is updated, which can't be undone. It may have no key yet. */
export async function proveKeyToUpdate(db: Db, config: Config): Promise<void> {
  if (await hasMasterKey(db)) await proveKeyOf(db, config);
}
