import { refuse } from "../../domain/refusals/refuse.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { askFirst, connect, type DatabasePlace, isEmbedded, withoutSecrets } from "./connect.ts";
import { filePathOf, isInMemory, presenceOf } from "./database_folder.ts";
import { namesIn, readStart } from "./files_anywhere.ts";
import { folderOf, whyClosed } from "./whose.ts";

/** Created by the first migration: without this table, nothing there is ours. */
const OURS = "SELECT 1 FROM sqlite_master WHERE name = 'schema_migrations'";

/** Opening a missing database would create it, and a key file beside it. */
export async function assertDatabaseThere(place: DatabasePlace): Promise<void> {
  const { url } = place;
  const presence = isEmbedded(url) ? await presenceOf(filePathOf(url)) : "there";
  const shown = withoutSecrets(url);
  if (presence === "unreadable") {
    throw refuse("database_unreadable", { url: shown, why: whyClosed(filePathOf(url)) });
  }
  if (presence === "there" && await holdsOurTables(place)) return;
  throw refuse("database_missing", { url: shown, isHidden: presence === "unknown" });
}

async function holdsOurTables(place: DatabasePlace): Promise<boolean> {
  const client = await connect(place);
  try {
    return (await askFirst(client, { place, sql: OURS })).rows.length > 0;
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    // Damaged or in use: opening it will say what is wrong.
    return true;
  } finally {
    client.close();
  }
}

/** A mistyped name would start an empty gateway, while payments are waited for in the other one. */
export async function assertNoOtherBeside(url: string): Promise<void> {
  if (!await isNew(url)) return;
  const [other] = await databasesBeside(filePathOf(url));
  if (other === undefined) return;
  throw refuse("database_beside", { url: withoutSecrets(url), other });
}

/** Opening it would create it. */
export async function isNew(url: string): Promise<boolean> {
  if (!isEmbedded(url) || isInMemory(filePathOf(url))) return false;
  return ["missing", "unknown"].includes(await presenceOf(filePathOf(url)));
}

const SQLITE = "SQLite format 3\0";
/** Of the engine, and of a backup's check that was interrupted. */
const PASSING = /(-wal|-shm|-journal|\.serving)$|^drill-/;

/** Other databases in its folder, by name. */
export async function databasesBeside(path: string): Promise<string[]> {
  const folder = folderOf(path);
  const names = (await namesIn(folder)).filter((name) =>
    !PASSING.test(name) && `${folder}/${name}` !== path && name !== path
  );
  const starts = await Promise.all(
    names.map((name) => readStart(`${folder}/${name}`, SQLITE.length)),
  );
  return names.filter((_, i) => starts[i] === SQLITE).toSorted();
}
