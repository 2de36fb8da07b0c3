import { refuse } from "../../domain/refusals/refuse.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { askFirst, connect, type DatabasePlace, isEmbedded, withoutSecrets } from "./connect.ts";
import { filePathOf, presenceOf } from "./database_folder.ts";

/** Created by the first migration: without this table, nothing there is ours. */
const OURS = "SELECT 1 FROM sqlite_master WHERE name = 'schema_migrations'";

/** Opening a missing database would create it, and a key file beside it. */
export async function assertDatabaseThere(place: DatabasePlace): Promise<void> {
  const { url } = place;
  const presence = isEmbedded(url) ? await presenceOf(filePathOf(url)) : "there";
  const shown = withoutSecrets(url);
  if (presence === "unreadable") throw refuse("database_unreadable", { url: shown });
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
