import { proveMasterKey } from "../../upkeep/open_key_ring.ts";
import { first } from "../../base/lists.ts";
import { systemClock } from "../../base/clock.ts";
import type { Finding } from "../../operations/host.ts";
import { refusalText } from "../../operations/words/refusals.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { ActionRefused } from "../../domain/refusals/refuse.ts";
import { createVault, type Vault, WrongMasterKey } from "../../keys/vault.ts";
import { messageOf, withoutSecrets } from "../../store/connection/connect.ts";
import { assertDatabaseThere } from "../../store/connection/database_there.ts";
import { type Db, openDb } from "../../store/engine/db.ts";
import { whyNoWrites } from "../../store/engine/write_probe.ts";
import { loadMigrations } from "../../store/upkeep/migration_files.ts";
import { migrationsLeft } from "../../store/upkeep/migrate.ts";
import type { Config } from "../config/config.ts";
import { withFittingKeyFile } from "../config/fitting_key_file.ts";
import { loadMasterKey } from "../config/master_key.ts";

const CHECK = "database";
const CONNECTION = "check CPG_DATABASE_URL and CPG_DATABASE_TOKEN, and that the server runs";

export interface OpenedDatabase {
  readonly db: Db;
  /** Undefined without the key that opens its secrets. */
  readonly vault: Vault | undefined;
}

interface Checked {
  /** As this program understands it; undefined otherwise. */
  readonly opened?: OpenedDatabase;
  readonly findings: Finding[];
}

/** Neither creates nor updates it. */
export async function checkDatabase(
  config: Config,
  { isKeyKnown }: { isKeyKnown: boolean },
): Promise<Checked> {
  const place = { url: config.databaseUrl, token: config.databaseToken };
  const shown = withoutSecrets(place.url);
  try {
    await assertDatabaseThere(place);
  } catch (error) {
    if (error instanceof ActionRefused) return { findings: [failed(refusalText(error), null)] };
    if (error instanceof OperatorError) return { findings: [failed(error.message, CONNECTION)] };
    throw error;
  }
  const db = await openDb({ ...place, clock: systemClock }).catch((error) => messageOf(error));
  if (typeof db === "string") return { findings: [failed(`${shown}: ${db}`, CONNECTION)] };
  try {
    const left = await migrationsLeft(db, await loadMigrations());
    if (left.length > 0) {
      await db.close();
      return { findings: [outdated(first(left))] };
    }
    const { vault, findings } = isKeyKnown
      ? await checkKey(config, db)
      : { vault: undefined, findings: [] };
    const noWrites = await whyNoWrites(db, place);
    const found: Finding = noWrites === null
      ? {
        ...{ check: CHECK, state: "ok", advice: null },
        message: `${shown} is of this program's version and takes writes`,
      }
      : failed(
        `${shown} takes no writes: ${noWrites}`,
        "make room, or let this program write there",
      );
    return { opened: { db, vault }, findings: [found, ...findings] };
  } catch (error) {
    await db.close();
    return { findings: [failed(`${shown}: ${messageOf(error)}`, CONNECTION)] };
  }
}

async function checkKey(
  config: Config,
  db: Db,
): Promise<{ vault?: Vault; findings: Finding[] }> {
  const check = "master key";
  try {
    const { key } = await loadMasterKey(config, { db, mustExist: true });
    const vault = await createVault(key);
    await proveMasterKey({ db, vault });
    const message = "it opens the database";
    return { vault, findings: [{ check, state: "ok", message, advice: null }] };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { message } = await withFittingKeyFile(error, { config, db });
    const advice = error instanceof WrongMasterKey
      ? "use the key that this database was sealed with: without it, its secrets are lost"
      : null;
    return { findings: [{ check, state: "failed", message, advice }] };
  }
}

function failed(message: string, advice: string | null): Finding {
  return { check: CHECK, state: "failed", message, advice };
}

function outdated(name: string): Finding {
  const message = `The database is of an older version: ${name} is missing`;
  return { check: CHECK, state: "failed", message, advice: '"serve" or "migrate" updates it' };
}
