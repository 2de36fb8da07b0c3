import { systemClock } from "../../base/clock.ts";
import { type Bytes, randomBytes, toBase64 } from "../../base/bytes.ts";
import { proveMasterKey } from "../../upkeep/open_key_ring.ts";
import type { Config } from "./config.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { createVault, parseMasterKey, WrongMasterKey } from "../../keys/vault.ts";
import { isEmbedded } from "../../store/connection/connect.ts";
import {
  DEFAULT_DATABASE_URL,
  filePathOf,
  isInMemory,
} from "../../store/connection/database_folder.ts";
import { databasesBeside } from "../../store/connection/database_there.ts";
import {
  factsOf,
  readSmallFile,
  replaceFile,
  writeNewFile,
} from "../../store/connection/files_anywhere.ts";
import { assertOwn, folderOf } from "../../store/connection/whose.ts";
import type { Db } from "../../store/engine/db.ts";
import { hasMasterKey, hasSecrets } from "../../store/reads/secrets.ts";

/** Of the default database; and earlier versions kept the key of every database there. */
const COMMON_KEY_FILE = "./data/master.key";
const USUAL_DATABASE = "cpg.db";
const MASTER_KEY_BYTES = 32;

/**
 * Beside the database: "master.key" for "cpg.db", and "shop.db.key" for "shop.db", so that two
 * databases in a folder never have the same.
 */
export function keyFileOf({ databaseUrl }: Config): string {
  const path = filePathOf(databaseUrl);
  if (!isEmbedded(databaseUrl) || isInMemory(path)) return COMMON_KEY_FILE;
  const folder = folderOf(path);
  const name = path.slice(path.lastIndexOf("/") + 1);
  const isRelative = folder !== "." && !/^[./]/.test(folder);
  return `${isRelative ? "./" : ""}${folder === "/" ? "" : folder}/${keyNameOf(name)}`;
}

function keyNameOf(database: string): string {
  return database === USUAL_DATABASE ? "master.key" : `${database}.key`;
}

/** Where its key may be, the likeliest place first. */
export function keyFilesOf(config: Config): string[] {
  return [...new Set([keyFileOf(config), COMMON_KEY_FILE])];
}

/** Called before touching a database, because a key file is created only beside an embedded one. */
export function assertMasterKeyGiven({ masterKey, databaseUrl }: Config): void {
  if (masterKey || isEmbedded(databaseUrl)) return;
  throw new OperatorError(
    "CPG_MASTER_KEY is required with a remote database; make one with: openssl rand -base64 32",
  );
}

export class KeyFileMissing extends OperatorError {
  override name = "KeyFileMissing";
}

interface LoadedKey {
  readonly key: Bytes;
  /** Undefined: it is in the environment. */
  readonly file: string | undefined;
  /** The file was just created. */
  readonly isNew: boolean;
}

/** From the environment, or from its file, which is created together with the database. */
export async function loadMasterKey(
  config: Config,
  { db, mustExist }: { db: Db; mustExist: boolean },
): Promise<LoadedKey> {
  if (config.masterKey) return { key: config.masterKey, file: undefined, isNew: false };
  const file = keyFileOf(config);
  const isSealed = await hasSecrets(db) || await hasMasterKey(db);
  const stored = isSealed ? await storedKey(config, db) : await keyIn(file);
  if (stored) return stored;
  if (isSealed) {
    throw new KeyFileMissing(
      `The master key file ${file} is missing, and secrets are encrypted with it: put it back, or set CPG_MASTER_KEY="$(cat FILE)"`,
    );
  }
  if (mustExist) {
    throw new OperatorError(
      `The master key file ${file} is missing: set CPG_MASTER_KEY, or create it with "migrate" or "serve"`,
    );
  }
  const text = `${toBase64(randomBytes(MASTER_KEY_BYTES))}\n`;
  // Another program may be starting too: whoever creates the file first decides the key.
  const isNew = await writeNewFile(file, text);
  return { key: parseKeyFile(isNew ? text : await readSmallFile(file) ?? "", file), file, isNew };
}

/**
 * The key of a database that has secrets. Whatever lies beside it is tried first; the common file,
 * which may be another database's, only counts if it fits.
 */
async function storedKey(config: Config, db: Db): Promise<LoadedKey | undefined> {
  const [own, common] = keyFilesOf(config);
  const beside = await keyIn(own!);
  if (common === undefined || beside && await opens(db, beside.key)) return beside;
  const other = await keyIn(common).catch((error) => {
    if (beside) return undefined;
    throw error;
  });
  return other && await opens(db, other.key) ? other : beside;
}

async function keyIn(file: string): Promise<LoadedKey | undefined> {
  const text = await readSmallFile(file);
  return text === undefined ? undefined : { key: parseKeyFile(text, file), file, isNew: false };
}

/** Whether the database's secrets are sealed with this key. */
export async function opens(db: Db, key: Bytes): Promise<boolean> {
  try {
    await proveMasterKey({ db, vault: await createVault(key) });
    return true;
  } catch (error) {
    if (error instanceof WrongMasterKey) return false;
    throw error;
  }
}

/**
 * Called before a database is created. A key file that waits for it is used, but not one that may
 * have sealed another database of its folder: one that was renamed, or of an earlier version, which
 * had one key for all.
 */
export async function assertKeyFileIsFree(config: Config): Promise<void> {
  const file = keyFileOf(config);
  if (config.masterKey || !await isThere(file)) return;
  const path = filePathOf(config.databaseUrl);
  for (const name of await databasesBeside(path)) {
    const own = `${folderOf(file)}/${keyNameOf(name)}`;
    if (own !== file && await isThere(own)) continue;
    const advice = own === file
      ? "give the new database another name"
      : `if it is, rename it to ${own}, and if not, set CPG_MASTER_KEY="$(cat ${file})"`;
    throw new OperatorError(
      `${file} may be the key of ${name}, and one key serves one database: ${advice}`,
    );
  }
}

/** What to say if the key that was found is another database's too; undefined if it isn't. */
export async function sharedKeyWarning(
  config: Config,
  file: string | undefined,
): Promise<string | undefined> {
  const own = keyFileOf(config);
  const other = filePathOf(DEFAULT_DATABASE_URL);
  if (file === undefined || file === own || !await isThere(other)) return undefined;
  return `The master key in ${file} is that of ${other} too: give this database its own with ` +
    `"rotate-master-key", which writes ${own}`;
}

async function isThere(path: string): Promise<boolean> {
  return await factsOf(path) !== undefined;
}

interface ReplacedKey {
  readonly file: string;
  /** The previous key, which older backups need. Undefined: it was already replaced. */
  readonly oldFile: string | undefined;
}

/** Called before anything is sealed again: the server must be able to read what is written. */
export function assertKeyFileIsOwn(config: Config): void {
  if (!config.masterKey) assertOwn(keyFileOf(config));
}

/** Beside the database, wherever the previous key was. Undefined: it comes from the environment. */
export async function replaceMasterKeyFile(
  config: Config,
  masterKey: string,
): Promise<ReplacedKey | undefined> {
  if (config.masterKey) return undefined;
  const file = keyFileOf(config);
  const text = `${masterKey}\n`;
  const before = await readSmallFile(file);
  if (before === undefined) {
    const isMade = await writeNewFile(file, text);
    if (!isMade) throw new OperatorError(`Another program has just written ${file}: try again`);
    return { file, oldFile: COMMON_KEY_FILE };
  }
  const oldFile = before.trim() === masterKey ? undefined : oldNameOf(file);
  await replaceFile(file, { text, oldPath: oldFile });
  return { file, oldFile };
}

function oldNameOf(path: string): string {
  const stamp = new Date(systemClock.nowMs()).toISOString().replace(/[-:]|\.\d+/g, "");
  return `${path}.old-${stamp}`;
}

function parseKeyFile(text: string, path: string): Bytes {
  const key = parseMasterKey(text);
  if (!key) throw new OperatorError(`${path} does not hold 32 bytes in base64 or hex`);
  return key;
}
