import { randomToken } from "../base/bytes.ts";
import { OperatorError } from "../domain/refusal.ts";
import type { DatabasePlace } from "../store/connect.ts";
import { copyDatabase, damageOf, fileUrlOf, refuseTaken } from "../store/copy_database.ts";
import { isMissing, removeDatabaseFile } from "../store/database_folder.ts";
import { wallets } from "../store/list_reads.ts";
import { haltWallet } from "./_halt_wallet.ts";
import { auditCopy, type CopyAudit } from "./audit_copy.ts";
import type { Deps } from "./deps.ts";

export interface Opened {
  readonly deps: Deps;
  close(): Promise<void>;
}

/** Opens a gateway on another database, brought up to date. */
export type OpenAt = (place: DatabasePlace) => Promise<Opened>;

const SCRATCH_FOLDER = "./data";
const RESTORED = "The database was restored from a backup: book what was paid since " +
  '(see "help wallet adopt")';

/** A copy of one moment, proved by a drill: what cannot be restored is no backup. */
export async function backUp(
  from: DatabasePlace,
  { file, openAt }: { file: string; openAt: OpenAt },
): Promise<CopyAudit> {
  const to = { url: fileUrlOf(file) };
  await refuseTaken(to);
  await copyDatabase(from, to);
  return await drill(file, openAt);
}

/** Restores a backup beside the real database, opens it, audits it, and takes it away again. */
export async function drill(file: string, openAt: OpenAt): Promise<CopyAudit> {
  const backup = await checkedBackup(file);
  const scratch = { url: `file:${SCRATCH_FOLDER}/drill-${randomToken(8)}.db` };
  try {
    await copyDatabase(backup, scratch);
    return await auditAt(scratch, openAt);
  } finally {
    await removeDatabaseFile(scratch.url);
  }
}

/**
 * Into a new database. Its wallets sign nothing until an operator has looked: what was paid after the
 * backup is not in it, and must not be paid again.
 */
export async function restore(
  file: string,
  { to, openAt }: { to: DatabasePlace; openAt: OpenAt },
): Promise<CopyAudit & { haltedWallets: number }> {
  await refuseTaken(to);
  const { differences } = await drill(file, openAt);
  if (differences.length > 0) {
    throw new OperatorError(`The books of ${file} do not add up: drill tells where`);
  }
  await copyDatabase(await checkedBackup(file), to);
  const restored = await openAt(to);
  try {
    const signers = await wallets(restored.deps.db, undefined);
    for (const wallet of signers) await haltWallet(restored.deps, wallet, RESTORED);
    return { ...await auditCopy(restored.deps), haltedWallets: signers.length };
  } finally {
    await restored.close();
  }
}

async function checkedBackup(file: string): Promise<DatabasePlace> {
  const place = { url: fileUrlOf(file) };
  if (await isMissing(file)) throw new OperatorError(`There is no ${file}`);
  const damage = await damageOf(place);
  if (damage !== undefined) throw new OperatorError(`${file} is no sound backup: ${damage}`);
  return place;
}

async function auditAt(place: DatabasePlace, openAt: OpenAt): Promise<CopyAudit> {
  const { deps, close } = await openAt(place);
  try {
    return await auditCopy(deps);
  } finally {
    await close();
  }
}
