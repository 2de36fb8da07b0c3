import { BASE } from "../dashboard/visit.ts";
import type { Deps } from "../deps/deps.ts";
import { reportingDb } from "../books/tampered.ts";
import { createMemory } from "../deps/memory.ts";
import { recountRespelled } from "../policies/manage.ts";
import { NodeUrls } from "../networks/node_urls.ts";
import { sealOldLogins } from "../networks/seal_old_logins.ts";
import { valuing } from "../rates/worth.ts";
import { openBooks } from "../upkeep/open_books.ts";
import { followMasterKey } from "../upkeep/follow_master_key.ts";
import { isServed } from "../upkeep/membership.ts";
import { checkMasterKey, openKeyRing } from "../upkeep/open_key_ring.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { createLog, flushStderr, type Log, writeToStderr } from "../base/log.ts";
import { Passwords } from "../base/secrets/password.ts";
import { createChains } from "../chains/registry.ts";
import { outputBook } from "../outputs/book.ts";
import type { Config } from "./config/config.ts";
import { OperatorError } from "../domain/refusal.ts";
import type { KeyRing } from "../keys/key_ring.ts";
import { createVault } from "../keys/vault.ts";
import { withFittingKeyFile } from "./config/fitting_key_file.ts";
import { proveKeyToUpdate } from "./config/prove_key.ts";
import {
  assertKeyFileIsFree,
  assertMasterKeyGiven,
  loadMasterKey,
  sharedKeyWarning,
} from "./config/master_key.ts";
import { createCatalogSource } from "../store/engine/catalog.ts";
import { isEmbedded, withoutSecrets } from "../store/connection/connect.ts";
import { filePathOf, isInMemory } from "../store/connection/database_folder.ts";
import { assertDatabaseThere, isNew } from "../store/connection/database_there.ts";
import { assertOwnDatabase } from "../store/connection/whose.ts";
import { diskFull, isDiskFull } from "../store/connection/disk_room.ts";
import { auditedDb } from "../store/engine/audited_db.ts";
import { type Db, openDb } from "../store/engine/db.ts";
import { isUnauthorized, Unavailable, WriteFault } from "../store/connection/faults.ts";
import { createMailSender } from "../notifications/senders/mail.ts";
import type { NoteSenders } from "../notifications/senders/senders.ts";
import { createTelegramSender } from "../notifications/senders/telegram.ts";
import { createPageReader } from "../webhooks/post/read_page.ts";
import { createSender } from "../webhooks/post/send.ts";
import { migrate, type MigrationReport } from "../store/upkeep/migrate.ts";
import { loadBaseline, loadMigrations } from "../store/upkeep/migration_files.ts";

export interface Gateway {
  readonly deps: Deps;
  readonly migrated: MigrationReport;
  /** A line for the operator if something was just created. */
  readonly created: string | undefined;
  /** Where the master key is; undefined if the environment holds it. */
  readonly keyFile: string | undefined;
  close(): Promise<void>;
}

interface GatewayOptions {
  readonly clock?: Clock;
  readonly log?: Log | undefined;
  /** The caller holds the serve lock of this database. */
  readonly isExclusive?: boolean;
  /** The database this one was copied from, with which it shares a key file. */
  readonly copyOf?: string | undefined;
  /** Refuses a missing database instead of creating one. */
  readonly mustExist?: boolean;
}

/** Opens and migrates the database and wires everything that actions need. */
export async function openGateway(config: Config, options: GatewayOptions = {}): Promise<Gateway> {
  const clock = options.clock ?? systemClock;
  const log = options.log ?? createLog({ level: config.logLevel, clock, write: writeToStderr });
  const { mustExist = false, isExclusive = false } = options;
  const keyed = { ...config, databaseUrl: options.copyOf ?? config.databaseUrl };
  assertMasterKeyGiven(keyed);
  const opening = { clock, mustExist, isExclusive, keyed };
  const { db: opened, migrated } = await openMigratedDb(config, opening);
  const db = reportingDb({ db: auditedDb(opened), clock, log });
  try {
    const nameFitting = async (error: Error) => {
      throw await withFittingKeyFile(error, { config: keyed, db });
    };
    const masterKey = await loadMasterKey(keyed, { db, mustExist }).catch(nameFitting);
    const shared = await sharedKeyWarning(keyed, masterKey.file);
    if (shared !== undefined && isExclusive && options.copyOf === undefined) log.warn(shared);
    const vault = await createVault(masterKey.key);
    await checkMasterKey({ db, vault, clock }).catch(nameFitting);
    // Nobody served it during the update, and older programs refuse to open it from then on.
    const isAlone = isExclusive || migrated.applied.length > 0;
    await openBooks({ db: opened, vault, clock, log, isExclusive: isAlone });
    const nodeUrls = new NodeUrls({ vault, log, followKey: () => followMasterKey({ db, vault }) });
    await sealOldLogins({ db: opened, nodeUrls, log });
    const outside = outsideOf(config);
    const keyRing = once(() => openKeyRing({ db, vault }));
    const deps = valuing({
      db,
      clock,
      log,
      vault,
      keyRing,
      nodeUrls,
      catalog: createCatalogSource(db, clock, (networks) => nodeUrls.open(networks)),
      chains: createChains({
        log,
        urlsOf: (network) => nodeUrls.nodesOf(network),
        outputs: outputBook({ db, clock, log }),
      }),
      ...outside,
      ...settingsOf(config),
      memory: createMemory(db, { isEmbedded: isEmbedded(config.databaseUrl) }),
      exclusiveSinceMs: isExclusive ? clock.nowMs() : null,
    });
    await recountRespelled(deps);
    const close = async () => {
      outside.webhooks.close();
      outside.pages.close();
      await db.close();
      flushStderr();
    };
    return {
      deps,
      migrated,
      created: createdLine(config, { migrated, ...masterKey }),
      keyFile: masterKey.file,
      close,
    };
  } catch (error) {
    await db.close();
    throw error;
  }
}

export async function openMigratedDb(
  config: Config,
  { clock = systemClock, mustExist = false, isExclusive = false, keyed = config }:
    & Pick<GatewayOptions, "clock" | "mustExist" | "isExclusive">
    & { readonly keyed?: Config } = {},
): Promise<{ db: Db; migrated: MigrationReport }> {
  const { databaseUrl: url, databaseToken: token } = config;
  if (mustExist) await assertDatabaseThere({ url, token });
  else await assertMayCreate(config);
  const db = await openDb({ url, token, clock });
  try {
    const migrated = await migrate(db, {
      migrations: await loadMigrations(),
      baseline: await loadBaseline(),
      nowMs: clock.nowMs(),
      mayUpdate: () => proveKeyToUpdate(db, keyed),
      isServed: isExclusive ? undefined : () => isServed(db),
    });
    return { db, migrated };
  } catch (error) {
    await db.close();
    if (isUnauthorized(error)) {
      throw new OperatorError(
        `The database ${withoutSecrets(url)} refuses the token of CPG_DATABASE_TOKEN`,
        { cause: error },
      );
    }
    if (!(error instanceof WriteFault || error instanceof Unavailable)) throw error;
    if (isDiskFull(error)) throw await diskFull(url);
    throw new OperatorError(`Cannot reach the database ${withoutSecrets(url)}: ${error.message}`, {
      cause: error,
    });
  }
}

/** Only looks, for those who would create the database, or else files beside it. */
export async function assertMayCreate(config: Config): Promise<void> {
  if (!isEmbedded(config.databaseUrl)) return;
  const path = filePathOf(config.databaseUrl);
  if (!isInMemory(path)) assertOwnDatabase(path);
  if (await isNew(config.databaseUrl)) await assertKeyFileIsFree(config);
}

function settingsOf(config: Config): Pick<Deps, "windows" | "publicUrl" | "passwords"> {
  const { windows, publicUrl, passwordCost } = config;
  return { windows, publicUrl, passwords: new Passwords(passwordCost) };
}

/** What sends to others, or reads from them. */
function outsideOf(config: Config): Pick<Deps, "webhooks" | "pages" | "notes"> {
  const targets = { isPrivateAllowed: config.isPrivateWebhookAllowed };
  return {
    webhooks: createSender(targets),
    pages: createPageReader(targets),
    notes: noteSenders(config),
  };
}

function noteSenders({ smtp, telegramToken, dashboard, publicUrl }: Config): NoteSenders {
  const beside = dashboard.kind === "beside" ? publicUrl : undefined;
  const url = dashboard.kind === "off" ? undefined : dashboard.url ?? beside;
  return {
    send: {
      email: smtp && createMailSender(smtp),
      telegram: telegramToken === undefined
        ? undefined
        : createTelegramSender({ token: telegramToken }),
    },
    link: url === undefined ? null : url + BASE,
  };
}

function createdLine(
  { databaseUrl }: Config,
  { migrated, file, isNew }: {
    migrated: MigrationReport;
    file: string | undefined;
    isNew: boolean;
  },
): string | undefined {
  const hasDatabase = migrated.applied[0]?.startsWith("0001_");
  const database = `the database at ${withoutSecrets(databaseUrl)}`;
  if (!hasDatabase) return isNew ? `Created the master key at ${file}.` : undefined;
  if (isNew) return `Created ${database}, and the master key at ${file}.`;
  const key = file === undefined ? "" : `; its master key is the one that was in ${file} already`;
  return `Created ${database}${key}.`;
}

function once(open: () => Promise<KeyRing>): () => Promise<KeyRing> {
  let opened: Promise<KeyRing> | undefined;
  return () => {
    opened ??= open().catch((error) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
}
