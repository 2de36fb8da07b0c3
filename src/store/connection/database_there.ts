import { OperatorError } from "../../domain/refusal.ts";
import { connect, type DatabasePlace, isEmbedded, withoutSecrets } from "./connect.ts";
import { filePathOf, presenceOf } from "./database_folder.ts";

/** Created by the first migration: without this table, nothing there is ours. */
const OURS = "SELECT 1 FROM sqlite_master WHERE name = 'schema_migrations'";

/** Opening a missing database would create it, and a key file beside it. */
export async function assertDatabaseThere(place: DatabasePlace): Promise<void> {
  const { url } = place;
  const presence = isEmbedded(url) ? await presenceOf(filePathOf(url)) : "there";
  if (presence === "unreadable") {
    throw new OperatorError(
      `This program is not allowed to read the database ${
        withoutSecrets(url)
      }: check the owner and ` +
        "mode of the file and its folders",
    );
  }
  if (presence === "there" && await holdsOurTables(place)) return;
  const hidden = presence === "unknown" ? " that this program can read" : "";
  throw new OperatorError(
    `There is no database at ${
      withoutSecrets(url)
    }${hidden}: check CPG_DATABASE_URL and the folder ` +
      'you are in, or create a new one with "migrate" or "serve"',
  );
}

async function holdsOurTables(place: DatabasePlace): Promise<boolean> {
  const client = await connect(place);
  try {
    return (await client.execute(OURS)).rows.length > 0;
  } catch {
    // Damaged or in use: opening it will say what is wrong.
    return true;
  } finally {
    client.close();
  }
}
