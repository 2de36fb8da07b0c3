import { randomToken } from "../base/bytes.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { windowEnds } from "../deposits/rules/deposit_request.ts";
import { restoredAtMs, restoreNumber } from "./rules/restore_number.ts";
import { isoUtc } from "../domain/time.ts";
import { type DatabasePlace, isEmbedded } from "../store/connection/connect.ts";
import {
  copyDatabase,
  damageOf,
  fileUrlOf,
  refuseTaken,
  takeWritesAgain,
  TargetTaken,
} from "../store/upkeep/copy_database.ts";
import {
  DEFAULT_DATABASE_URL,
  filePathOf,
  isInMemory,
  removeDatabaseFile,
  whyUnread,
} from "../store/connection/database_folder.ts";
import { systemCalls } from "../store/connection/native_calls.ts";
import { assertOwn, folderOf } from "../store/connection/whose.ts";
import { DiskFull, diskFull, isDiskFull } from "../store/connection/disk_room.ts";
import { assertDatabaseThere } from "../store/connection/database_there.ts";
import { wallets } from "../store/reads/pages/lists.ts";
import { forgetServers, lastWrittenAtMs, numberFrom } from "../store/upkeep/restored_ids.ts";
import { expireRestored } from "../proposals/end.ts";
import { haltRestored } from "../wallets/halt.ts";
import { auditCopy, type CopyAudit } from "./audit_copy.ts";
import type { Deps } from "../deps/deps.ts";

interface Opened {
  readonly deps: Deps;
  close(): Promise<void>;
}

/** Opens and migrates a gateway on another database. */
export type OpenAt = (place: DatabasePlace) => Promise<Opened>;

/**
 * Where the database lies, because a service may write nowhere else. Where this program couldn't
 * remove the copy again, and beside a server, its own folder.
 */
function scratchBeside(databaseUrl: string): DatabasePlace {
  const path = filePathOf(databaseUrl);
  const isUsed = isEmbedded(databaseUrl) && !isInMemory(path) && systemCalls() !== null;
  const folder = folderOf(isUsed ? path : filePathOf(DEFAULT_DATABASE_URL));
  return { url: fileUrlOf(`${folder}/drill-${randomToken(8)}.db`) };
}

/** Copies one moment and proves the copy by a drill, because a backup that can't be restored is none. */
export async function backUp(
  from: DatabasePlace,
  { file, openAt }: { file: string; openAt: OpenAt },
): Promise<CopyAudit> {
  const to = { url: fileUrlOf(file) };
  await assertDatabaseThere(from);
  await refuseTaken(to);
  await copyWhole(from, to);
  try {
    return await drill(file, openAt, from.url);
  } catch (error) {
    // Nobody has seen that it can be restored, and it takes room that is needed.
    if (error instanceof DiskFull) await removeDatabaseFile(to.url).catch(() => {});
    throw error;
  }
}

/** Restores a backup beside the real database, opens it, audits it and removes it again. */
export async function drill(
  file: string,
  openAt: OpenAt,
  databaseUrl = DEFAULT_DATABASE_URL,
): Promise<CopyAudit> {
  return await beside(databaseUrl, file, (scratch) => auditAt(scratch, openAt));
}

/**
 * Restores into a new database. Its wallets sign nothing until an operator has looked, because
 * payments made after the backup aren't in it and must not be paid again. They are halted before
 * the database exists, so it never exists without that, wherever this is interrupted.
 */
export async function restore(
  file: string,
  { to, openAt }: { to: DatabasePlace; openAt: OpenAt },
): Promise<CopyAudit & { haltedWallets: number }> {
  await refuseTaken(to);
  if (isEmbedded(to.url)) assertOwn(filePathOf(to.url));
  return await beside(to.url, file, async (scratch) => {
    const { differences, tampered } = await auditAt(scratch, openAt);
    if (differences.length > 0) throw refuse("backup_unbalanced", { file });
    if (tampered.length > 0) throw refuse("backup_tampered", { file });
    const haltedWallets = await prepareForUse(scratch, openAt);
    await copyWhole(scratch, to);
    return { ...await auditAt(to, openAt), haltedWallets };
  });
}

async function beside<T>(
  databaseUrl: string,
  file: string,
  work: (scratch: DatabasePlace) => Promise<T>,
): Promise<T> {
  const backup = await checkedBackup(file);
  const scratch = scratchBeside(databaseUrl);
  try {
    await copyDatabase(backup, scratch);
    await takeWritesAgain(scratch);
    return await work(scratch);
  } catch (error) {
    throw isDiskFull(error) && !(error instanceof DiskFull) ? await diskFull(scratch.url) : error;
  } finally {
    await removeDatabaseFile(scratch.url);
  }
}

/** Returns how many wallets were halted. */
async function prepareForUse(place: DatabasePlace, openAt: OpenAt): Promise<number> {
  const { deps, close } = await openAt(place);
  try {
    const { reusableAtMs: poolFromMs } = windowEnds(deps.windows, deps.clock.nowMs());
    await numberFrom(deps.db, { first: await unusedNumber(deps), poolFromMs });
    const signers = await wallets(deps.db, undefined);
    await Promise.all(signers.map((wallet) => haltRestored(deps, wallet)));
    await expireRestored(deps);
    await forgetServers(deps.db);
    return signers.length;
  } finally {
    await close();
  }
}

/** If the clock is behind the backup or the previous restore, ids would be given twice. */
async function unusedNumber({ db, catalog, clock }: Deps): Promise<number> {
  const nowMs = clock.nowMs();
  const { numberedFrom } = await catalog.current();
  const writtenAtMs = await lastWrittenAtMs(db);
  const number = restoreNumber(nowMs);
  if (number > numberedFrom && nowMs >= writtenAtMs) return number;
  const newest = isoUtc(Math.max(writtenAtMs, restoredAtMs(numberedFrom)));
  throw refuse("backup_of_later", { now: isoUtc(nowMs), newest });
}

/** An incomplete copy is useless and in the way; but what others started there is theirs. */
export async function copyWhole(from: DatabasePlace, to: DatabasePlace): Promise<void> {
  try {
    await copyDatabase(from, to);
  } catch (error) {
    const isOurs = isEmbedded(to.url) && !(error instanceof TargetTaken);
    if (isOurs) await removeDatabaseFile(to.url).catch(() => {});
    throw error;
  }
}

async function checkedBackup(file: string): Promise<DatabasePlace> {
  const place = { url: fileUrlOf(file) };
  const why = await whyUnread(file);
  if (why) throw why;
  const damage = await damageOf(place);
  if (damage !== undefined) throw refuse("backup_damaged", { file, damage });
  return place;
}

export async function auditAt(place: DatabasePlace, openAt: OpenAt): Promise<CopyAudit> {
  const { deps, close } = await openAt(place);
  try {
    return await auditCopy(deps);
  } finally {
    await close();
  }
}
