import { systemClock } from "../../base/clock.ts";
import { type Bytes, randomBytes, toBase64 } from "../../base/bytes.ts";
import type { Config } from "./config.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { parseMasterKey } from "../../keys/vault.ts";
import { isEmbedded, withoutSecrets } from "../../store/connection/connect.ts";
import {
  DEMO_FOLDER,
  isDefaultDatabase,
  isDemoDatabase,
} from "../../store/connection/database_folder.ts";
import type { Db } from "../../store/engine/db.ts";
import { hasSecrets } from "../../store/reads/secrets.ts";

const MASTER_KEY_FILE = "./data/master.key";
const MASTER_KEY_BYTES = 32;

export function keyFileOf({ databaseUrl }: Config): string {
  return isDemoDatabase(databaseUrl) ? `${DEMO_FOLDER}/master.key` : MASTER_KEY_FILE;
}

/** Called before touching a database, because a key file is created only beside an embedded one. */
export function assertMasterKeyGiven({ masterKey, databaseUrl }: Config): void {
  if (masterKey || isEmbedded(databaseUrl)) return;
  throw new OperatorError(
    "CPG_MASTER_KEY is required with a remote database; make one with: openssl rand -base64 32",
  );
}

interface LoadedKey {
  readonly key: Bytes;
  /** The file, if it was just created. */
  readonly madeFile: string | undefined;
}

/** From the environment, or from its file, which is created together with the first database. */
export async function loadMasterKey(
  config: Config,
  { db, mustExist }: { db: Db; mustExist: boolean },
): Promise<LoadedKey> {
  const there = (key: Bytes) => ({ key, madeFile: undefined });
  if (config.masterKey) return there(config.masterKey);
  const path = keyFileOf(config);
  const stored = await readKeyFile(path);
  if (stored !== undefined) return there(parseKeyFile(stored, path));
  if (await hasSecrets(db)) {
    throw new OperatorError(
      `The master key file ${path} is missing, and secrets are encrypted with it: put it back, or set CPG_MASTER_KEY="$(cat FILE)"`,
    );
  }
  if (mustExist) {
    throw new OperatorError(
      `The master key file ${path} is missing: set CPG_MASTER_KEY, or create it with "migrate" or "serve"`,
    );
  }
  return { key: parseKeyFile(await createKeyFile(path), path), madeFile: path };
}

/** Called before the key in a file is replaced: other databases sealed with it would never open again. */
export function assertKeyFileIsOwn(config: Config): void {
  const { masterKey, databaseUrl } = config;
  if (masterKey || isDemoDatabase(databaseUrl) || isDefaultDatabase(databaseUrl)) return;
  const file = keyFileOf(config);
  throw new OperatorError(
    `${file} may also seal databases other than ${withoutSecrets(databaseUrl)}: set ` +
      `CPG_MASTER_KEY="$(cat ${file})" for this one, and rotate that`,
  );
}

interface ReplacedKey {
  readonly file: string;
  /** The previous key, which older backups need. Undefined: it was already replaced. */
  readonly oldFile: string | undefined;
}

/** Atomic, even if the power fails. Undefined: the key comes from the environment. */
export async function replaceMasterKeyFile(
  config: Config,
  masterKey: string,
): Promise<ReplacedKey | undefined> {
  if (config.masterKey) return undefined;
  const path = keyFileOf(config);
  const draft = `${path}.${crypto.randomUUID()}`;
  const text = new TextEncoder().encode(`${masterKey}\n`);
  {
    using file = await Deno.open(draft, { write: true, createNew: true, mode: 0o600 });
    await file.write(text);
    await file.sync();
  }
  const oldFile = (await readKeyFile(path))?.trim() === masterKey ? undefined : oldNameOf(path);
  // A hard link, so the file keeps its mode and is never incomplete.
  if (oldFile !== undefined) await Deno.link(path, oldFile);
  await Deno.rename(draft, path);
  return { file: path, oldFile };
}

function oldNameOf(path: string): string {
  const stamp = new Date(systemClock.nowMs()).toISOString().replace(/[-:]|\.\d+/g, "");
  return `${path}.old-${stamp}`;
}

async function readKeyFile(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
    throw new OperatorError(
      `This program is not allowed to read ${path}: check its owner and mode`,
      { cause: error },
    );
  }
}

/** Another program may be starting too: whoever creates the file first decides the key. */
async function createKeyFile(path: string): Promise<string> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  const text = `${toBase64(randomBytes(MASTER_KEY_BYTES))}\n`;
  const draft = `${path}.${crypto.randomUUID()}`;
  await Deno.writeTextFile(draft, text, { mode: 0o600, createNew: true });
  try {
    await Deno.link(draft, path);
    return text;
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    return await Deno.readTextFile(path);
  } finally {
    await Deno.remove(draft);
  }
}

function parseKeyFile(text: string, path: string): Bytes {
  const key = parseMasterKey(text);
  if (!key) throw new OperatorError(`${path} does not hold 32 bytes in base64 or hex`);
  return key;
}
