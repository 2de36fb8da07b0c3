import type { Client, ResultSet } from "@libsql/client";
import { OperatorError } from "../../domain/refusal.ts";
import { ensureDatabaseFile, filePathOf, presenceOf } from "../connection/database_folder.ts";
import { fetchWithin, PATIENT_MS } from "../connection/answer_limits.ts";
import {
  askFirst,
  connect,
  type DatabasePlace,
  isEmbedded,
  withoutSecrets,
} from "../connection/connect.ts";
import { assertRoom, diskFull, isDiskFull } from "../connection/disk_room.ts";
import { copyRows, LAST_TABLE, moveRows } from "./_copy_rows.ts";
import { markIn, UNMARK } from "./_moved_mark.ts";

/**
 * Copies a whole database at one moment, while others write to it. The target must be new. A file
 * is copied by the database itself, everything else row by row in one reading transaction.
 */
export async function copyDatabase(from: DatabasePlace, to: DatabasePlace): Promise<void> {
  const fetch = fetchWithin(PATIENT_MS);
  const source = await connect(from, { fetch });
  try {
    if (isEmbedded(from.url) && isEmbedded(to.url)) {
      await assertRoom(to.url, await sizeOf(source));
      await ensureDatabaseFile(to.url);
      await source.execute({ sql: "VACUUM INTO ?", args: [filePathOf(to.url)] })
        .catch((error) => throwTaken(error, to))
        .catch((error) => throwUnwritable(error, to))
        .catch((error) => throwFull(error, { source, to }));
      return;
    }
    await refuseTaken(to);
    const target = await connect(to, { fetch });
    try {
      await copyRows(source, target)
        .catch((error) => throwTaken(error, to))
        .catch((error) => throwFull(error, { source, to }));
    } finally {
      target.close();
    }
  } finally {
    source.close();
  }
}

/** What is told while rows are copied, and compared afterwards. */
export interface RowsProgress {
  onRows?(rows: { copied: number; of: number }): void;
  onCompared?(rows: { compared: number; of: number }): void;
}

/** Where a file's database was moved to; undefined: it is still there. */
export async function movedTo(place: DatabasePlace): Promise<string | undefined> {
  return await asking(place, markIn);
}

/** For a file that is the only one of its database again, or a copy of its own. */
export async function takeWritesAgain(place: DatabasePlace): Promise<void> {
  await asking(place, (client) => client.execute(UNMARK));
}

async function asking<T>(place: DatabasePlace, ask: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(place);
  try {
    return await ask(client);
  } finally {
    client.close();
  }
}

/**
 * Copies a file to a new database on a server, while nobody writes to it, and compares every row.
 * From then on the file takes no writes. Returns the number of rows of each table.
 */
export async function moveDatabase(
  from: DatabasePlace,
  to: DatabasePlace,
  progress: RowsProgress = {},
): Promise<Map<string, number>> {
  const fetch = fetchWithin(PATIENT_MS);
  await refuseTaken(to);
  const source = await connect(from, { fetch });
  const target = await connect(to, { fetch });
  try {
    const counts = await moveRows(source, target, { ...progress, url: withoutSecrets(to.url) })
      .catch((error) => throwTaken(error, to));
    // Whatever stands in its log is in the file itself from here on.
    await source.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    return counts;
  } finally {
    target.close();
    source.close();
  }
}

/** Nothing was written: the existing content belongs to somebody else. */
export class TargetTaken extends OperatorError {
  override name = "TargetTaken";

  constructor({ url }: DatabasePlace, advice = "name a new one") {
    super(`There is a database at ${withoutSecrets(url)} already: ${advice}`);
  }
}

/** A copy was interrupted there: nobody has used it, and nothing is missing where it came from. */
class CopyCutShort extends OperatorError {
  override name = "CopyCutShort";

  constructor({ url }: DatabasePlace) {
    super(
      `At ${withoutSecrets(url)} is part of a copy that was interrupted, which nothing has used: ` +
        "empty it (sqld: stop it and remove its folder), and do it again",
    );
  }
}

/** The target was filled since it was checked; neither a file with content nor a table is overwritten. */
function throwTaken(error: Error, to: DatabasePlace): never {
  if (/(output file|table "?\w+"?) already exists/.test(error.message)) throw new TargetTaken(to);
  throw error;
}

function throwUnwritable(error: Error, { url }: DatabasePlace): never {
  if (!error.message.includes("unable to open database")) throw error;
  throw new OperatorError(
    `Cannot write ${filePathOf(url)}: its folder is missing, or this program may not write there`,
    { cause: error },
  );
}

async function throwFull(
  error: Error,
  { source, to }: { source: Client; to: DatabasePlace },
): Promise<never> {
  if (!isDiskFull(error)) throw error;
  throw await diskFull(to.url, await sizeOf(source).catch(() => undefined));
}

/** Of a copy, without the free pages. */
async function sizeOf(source: Client): Promise<number> {
  const { rows } = await source.execute(
    `SELECT (page_count - freelist_count) * page_size AS bytes
FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
  );
  return Number(rows[0]?.bytes);
}

/** Only looks: if something else fails later, nothing must be left behind. */
export async function refuseTaken(place: DatabasePlace): Promise<void> {
  if (isEmbedded(place.url) && await isAbsent(filePathOf(place.url))) return;
  const client = await connect(place);
  try {
    const sql = "SELECT name FROM sqlite_master";
    const { rows } = await askFirst(client, { place, sql });
    if (rows.length === 0) return;
    throw await isCutShort(client, rows) ? new CopyCutShort(place) : new TargetTaken(place);
  } finally {
    client.close();
  }
}

/** Its last table is there, and still empty. */
async function isCutShort(client: Client, tables: ResultSet["rows"]): Promise<boolean> {
  if (!tables.some(({ name }) => name === LAST_TABLE)) return false;
  return (await client.execute(`SELECT 1 FROM ${LAST_TABLE} LIMIT 1`)).rows.length === 0;
}

async function isAbsent(path: string): Promise<boolean> {
  return ["missing", "unknown"].includes(await presenceOf(path));
}

/** Escapes characters that are special in URLs but not in paths. */
export function fileUrlOf(path: string): string {
  return `file:${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** Checks every page and every reference for damage. */
export async function damageOf(place: DatabasePlace): Promise<string | undefined> {
  const client = await connect(place);
  try {
    await client.execute(`SELECT 1 FROM ${LAST_TABLE} LIMIT 1`);
    const pages = await client.execute("PRAGMA integrity_check(1)");
    if (String(pages.rows[0]?.[0]) !== "ok") return String(pages.rows[0]?.[0]);
    const references = await client.execute("PRAGMA foreign_key_check");
    return references.rows.length === 0
      ? undefined
      : `${references.rows.length} references of ${references.rows[0]?.[0]} lead nowhere`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    client.close();
  }
}
