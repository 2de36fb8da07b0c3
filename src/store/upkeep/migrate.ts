import { first } from "../../base/lists.ts";
import { sha256Hex } from "../../base/secrets/crypto.ts";
import { sleep } from "../../base/clock.ts";
import { OperatorError } from "../../domain/refusal.ts";
import type { Db } from "../engine/db.ts";
import { WriteFault } from "../connection/faults.ts";
import { type Baseline, type Migration, splitStatements } from "./migration_files.ts";

export interface MigrationReport {
  /** Names of the migrations just applied. */
  readonly applied: string[];
  readonly version: number;
}

interface MigrateOptions {
  readonly migrations: readonly Migration[];
  /** A new database begins with it; without one, with the first migration. */
  readonly baseline?: Baseline;
  readonly nowMs: number;
  /** Throws if an older database must stay as it is: no older program opens it afterwards. */
  readonly mayUpdate?: () => Promise<void>;
  /** Whether another program serves the database. */
  readonly isServed?: (() => Promise<boolean>) | undefined;
}

const RACES_MAX = 20;
/** Since this migration, programs record in the database that they serve it, and with which key. */
const SHOWN_SINCE = 5;

/** Forward only. If several programs start at once, one applies it and the others notice. */
export async function migrate(
  db: Db,
  {
    migrations,
    baseline,
    nowMs,
    mayUpdate = () => Promise.resolve(),
    isServed = () => Promise.resolve(false),
  }: MigrateOptions,
): Promise<MigrationReport> {
  await patiently(() =>
    db.execute([{
      sql: `CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  checksum TEXT NOT NULL,
  applied_at_ms INTEGER NOT NULL
) STRICT`,
    }])
  );
  const known = migrations.at(-1)?.version ?? 0;
  await refuseNewer(db, migrations);
  const before = await checksums(db);
  const missing = notIn(before, migrations);
  if (missing.length > 0 && before.has(SHOWN_SINCE)) {
    await mayUpdate();
    if (await isServed()) await refuseServed(db, missing);
  }
  const applied: string[] = [];
  const take = async (step: Step) => {
    if (!await patiently(() => apply(db, step, nowMs))) return;
    applied.push(...step.migrations.map(({ name }) => name));
  };
  if (baseline && before.size === 0) {
    const covered = missing.filter(({ version }) => version <= baseline.version);
    await take({ migrations: covered, sql: baseline.sql }).catch(throwHalf);
  }
  for (const one of notIn(await checksums(db), migrations)) {
    await take({ migrations: [one], sql: one.sql });
  }
  return { applied, version: known };
}

/** Which migrations a database has is written last when it is copied. */
function throwHalf(error: Error): never {
  if (!/table "?\w+"? already exists/.test(error.message)) throw error;
  throw new OperatorError(
    "The database has tables, and no record of what made them: it is part of a copy that was " +
      "interrupted, or another program's. If it is a copy, empty it and copy again; if your books " +
      "were here, restore a backup; or name another",
    { cause: error },
  );
}

/** Only reads. The names of those that the database doesn't have yet; refuses a newer one. */
export async function migrationsLeft(
  db: Db,
  migrations: readonly Migration[],
): Promise<string[]> {
  await refuseNewer(db, migrations);
  return notIn(await checksums(db), migrations).map(({ name }) => name);
}

/** Of the applied migrations, by version. */
async function checksums(db: Db): Promise<Map<number, unknown>> {
  const rows = await db.query("SELECT version, checksum FROM schema_migrations ORDER BY version");
  return new Map(rows.map(({ version, checksum }) => [Number(version), checksum]));
}

function notIn(
  stored: ReadonlyMap<number, unknown>,
  migrations: readonly Migration[],
): Migration[] {
  return migrations.filter((migration) => !isApplied(migration, stored.get(migration.version)));
}

/** An older program would misread what the migrations change, and write rows without it. */
async function refuseServed(db: Db, missing: readonly Migration[]): Promise<void> {
  // It may be of this version, and have applied them meanwhile.
  const left = notIn(await checksums(db), missing);
  if (left.length === 0) return;
  throw new OperatorError(
    "Stop the other instances first: an older version is serving this database, and this one " +
      `updates it (${first(left).name})`,
  );
}

function isApplied({ name, sql }: Migration, stored: unknown): boolean {
  if (stored === undefined) return false;
  if (stored === sha256Hex(sql)) return true;
  throw new OperatorError(
    `Migration ${name} was changed after it was applied: use the program that made this database`,
  );
}

/** Migrations that are applied together, by this text. */
interface Step {
  readonly migrations: readonly Migration[];
  readonly sql: string;
}

/** True if this call applied it, and not another program meanwhile. */
async function apply(db: Db, { migrations, sql }: Step, nowMs: number): Promise<boolean> {
  const stored = await checksums(db);
  // Another program made some of them, or all.
  if (migrations.some((one) => isApplied(one, stored.get(one.version)))) return false;
  await db.execute([
    ...migrations.map(({ version, name, sql }) => ({
      sql:
        `INSERT INTO schema_migrations (version, name, checksum, applied_at_ms) VALUES (?, ?, ?, ?)`,
      args: [version, name, sha256Hex(sql), nowMs],
    })),
    ...splitStatements(sql).map((sql) => ({ sql })),
  ]);
  return true;
}

/** A newer program's migrations needn't have the highest numbers. */
async function refuseNewer(db: Db, migrations: readonly Migration[]): Promise<void> {
  const known = new Set(migrations.map(({ version }) => version));
  const applied = await db.query("SELECT version, name FROM schema_migrations ORDER BY version");
  const newer = applied.findLast(({ version }) => !known.has(Number(version)));
  if (!newer) return;
  const newest = migrations.at(-1)?.version ?? 0;
  throw new OperatorError(
    Number(newer.version) > newest
      ? `The database is at version ${newer.version} and this program knows versions up to ${newest}: use a newer program`
      : `The database has ${newer.name}, which this program doesn't know: use a newer program`,
  );
}

/** Another program may be migrating the same database: wait and look again. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1;; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof WriteFault) || attempt === RACES_MAX) throw error;
      await sleep(25 * attempt);
    }
  }
}
