import { withoutLogin } from "../../base/net/without_login.ts";
import type { Client } from "@libsql/client";
import { OperatorError } from "../../domain/refusal.ts";
import { ensureDatabaseFile } from "./database_folder.ts";

export interface DatabasePlace {
  readonly url: string;
  readonly token?: string | undefined;
}

/** The native add-on is loaded for files only: a remote database is reached where native code may not run. */
export async function connect({ url, token }: DatabasePlace): Promise<Client> {
  try {
    if (isEmbedded(url)) {
      await ensureDatabaseFile(url);
      const { createClient } = await import("@libsql/client/sqlite3");
      // One connection: its settings stay, and nothing of ours can meet it busy.
      return createClient({ url, concurrency: 1 });
    }
    const { createClient } = await import("@libsql/client/web");
    return createClient({ url, ...(token === undefined ? {} : { authToken: token }) });
  } catch (error) {
    throw new OperatorError(
      `Cannot open the database ${withoutSecrets(url)}: ${messageOf(error)} (CPG_DATABASE_URL)`,
      { cause: error },
    );
  }
}

/** As it may be shown: a password or token may stand in the address. */
export function withoutSecrets(url: string): string {
  return url.replace(/\?.*$/, "").replace(/\/\/[^/@]*@/, "//");
}

export function isEmbedded(url: string): boolean {
  return url.startsWith("file:");
}

export function messageOf(error: unknown): string {
  const told = error instanceof Error ? error.message : String(error);
  const text = told.split(/(\s)/).map(withoutLogin).join("");
  // What the library says of a missing folder is a number.
  return text.includes("Unable to open connection to local database")
    ? "its folder is missing, it is a folder itself, or this program may not read and write there"
    : text;
}
