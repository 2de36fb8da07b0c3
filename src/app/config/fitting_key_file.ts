import type { Config } from "./config.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { parseMasterKey, WrongMasterKey } from "../../keys/vault.ts";
import { KeyFileMissing, keyFilesOf, opens } from "./master_key.ts";
import { namesIn, readSmallFile } from "../../store/connection/files_anywhere.ts";
import { folderOf } from "../../store/connection/whose.ts";
import type { Db } from "../../store/engine/db.ts";

/** The newest ones. Each was a master key until it was replaced. */
const FILES_TRIED_MAX = 100;

/** Adds to the error a key file that opens the database, if there is one. */
export async function withFittingKeyFile(
  error: Error,
  { config, db }: { config: Config; db: Db },
): Promise<Error> {
  if (!(error instanceof WrongMasterKey || error instanceof KeyFileMissing)) return error;
  const file = await fittingKeyFile(config, db);
  if (file === undefined) return error;
  return new OperatorError(
    `${error.message}; ${file} opens it: CPG_MASTER_KEY="$(cat ${file})"`,
    { cause: error },
  );
}

async function fittingKeyFile(config: Config, db: Db): Promise<string | undefined> {
  const files = (await Promise.all(keyFilesOf(config).map((own) => keyFiles(config, own)))).flat();
  const fits = await Promise.all(files.map((file) => fitsIn(db, file)));
  return files.find((_, i) => fits[i]);
}

/** The key files beside one that was tried, newest first. */
async function keyFiles(config: Config, tried: string): Promise<string[]> {
  const [folder, own] = [folderOf(tried), tried.slice(tried.lastIndexOf("/") + 1)];
  const names = await namesIn(folder);
  const old = names.filter((name) => name.startsWith(`${own}.old-`)).toSorted().toReversed();
  const left = [...config.masterKey ? [own] : [], ...old.slice(0, FILES_TRIED_MAX)];
  return left.map((name) => `${folder}/${name}`.replace(/^\.\//, ""));
}

async function fitsIn(db: Db, file: string): Promise<boolean> {
  const text = await readSmallFile(file).catch(() => undefined);
  const key = parseMasterKey(text ?? "");
  return key ? await opens(db, key) : false;
}
