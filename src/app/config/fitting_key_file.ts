import type { Config } from "./config.ts";
import { proveMasterKey } from "../../actions/operations/open_key_ring.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { createVault, parseMasterKey, WrongMasterKey } from "../../keys/vault.ts";
import { keyFileOf } from "./master_key.ts";
import type { Db } from "../../store/engine/db.ts";

/** The newest ones. Each was a master key until it was replaced. */
const FILES_TRIED_MAX = 100;

/** Adds to the error a key file that opens the database, if there is one. */
export async function withFittingKeyFile(
  error: Error,
  { config, db }: { config: Config; db: Db },
): Promise<Error> {
  if (!(error instanceof WrongMasterKey)) return error;
  const file = await fittingKeyFile(config, db);
  if (file === undefined) return error;
  return new OperatorError(
    `${error.message}; ${file} opens it: CPG_MASTER_KEY="$(cat ${file})"`,
    { cause: error },
  );
}

async function fittingKeyFile(config: Config, db: Db): Promise<string | undefined> {
  const files = await keyFiles(config);
  const fits = await Promise.all(files.map((file) => opens(db, file)));
  return files.find((_, i) => fits[i]);
}

/** The key files beside the one that was tried, newest first. */
async function keyFiles(config: Config): Promise<string[]> {
  const file = keyFileOf(config).replace(/^\.\//, "");
  const slash = file.lastIndexOf("/");
  const [folder, own] = [file.slice(0, slash), file.slice(slash + 1)];
  const names = await namesIn(folder);
  const old = names.filter((name) => name.startsWith(`${own}.old-`)).toSorted().toReversed();
  const tried = [...config.masterKey ? [own] : [], ...old.slice(0, FILES_TRIED_MAX)];
  return tried.map((name) => `${folder}/${name}`);
}

async function namesIn(folder: string): Promise<string[]> {
  return await readable(async () => {
    const names = await Array.fromAsync(Deno.readDir(folder));
    return names.filter(({ isFile }) => isFile).map(({ name }) => name);
  }) ?? [];
}

async function opens(db: Db, file: string): Promise<boolean> {
  const key = parseMasterKey(await readable(() => Deno.readTextFile(file)) ?? "");
  if (!key) return false;
  try {
    await proveMasterKey({ db, vault: await createVault(key) });
    return true;
  } catch (error) {
    if (error instanceof WrongMasterKey) return false;
    throw error;
  }
}

const UNREADABLE = [
  Deno.errors.NotFound,
  Deno.errors.NotCapable,
  Deno.errors.PermissionDenied,
  Deno.errors.NotADirectory,
];

/** Undefined if the file is missing or not readable for this program. */
async function readable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (UNREADABLE.some((kind) => error instanceof kind)) return undefined;
    throw error;
  }
}
