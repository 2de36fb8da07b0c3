import { withoutLogin } from "../../base/net/without_login.ts";
import type { Client, ResultSet } from "@libsql/client";
import { OperatorError } from "../../domain/refusal.ts";
import { answerWithin, type Fetch, fetchWithin, NoAnswer } from "./answer_limits.ts";
import { ensureDatabaseFile, filePathOf } from "./database_folder.ts";
import { whyClosed } from "./whose.ts";

/** How long a server may take for what is asked before anything else. */
const FIRST_ANSWER_MS = 10_000;

export interface DatabasePlace {
  readonly url: string;
  readonly token?: string | undefined;
}

/** Loads the native add-on for files only: a remote database may be used where native code can't run. */
export async function connect(
  { url, token }: DatabasePlace,
  { fetch = fetchWithin(FIRST_ANSWER_MS) }: { fetch?: Fetch } = {},
): Promise<Client> {
  try {
    if (isEmbedded(url)) {
      await ensureDatabaseFile(url);
      const { createClient } = await import("@libsql/client/sqlite3");
      // One connection keeps its settings, and nothing of ours can find it busy.
      return createClient({ url, concurrency: 1 });
    }
    const { createClient } = await import("@libsql/client/web");
    return createClient({ url, fetch, ...token === undefined ? {} : { authToken: token } });
  } catch (error) {
    throw new OperatorError(
      `Cannot open the database ${withoutSecrets(url)}: ${
        whyNotOpened(url, error)
      } (CPG_DATABASE_URL)`,
      { cause: error },
    );
  }
}

/** What is asked before anything else: a server that only accepts connections is noticed in time. */
export async function askFirst(
  client: Client,
  { place, sql }: { place: DatabasePlace; sql: string },
): Promise<ResultSet> {
  try {
    return await answerWithin(FIRST_ANSWER_MS, client.execute(sql));
  } catch (error) {
    throw error instanceof NoAnswer ? cannotOpen(place, error) : error;
  }
}

export function cannotOpen({ url }: DatabasePlace, error: unknown): OperatorError {
  // `connect` has already explained the problem.
  if (error instanceof OperatorError) return error;
  return new OperatorError(
    `Cannot open the database ${withoutSecrets(url)}: ${whyNotOpened(url, error)}`,
    { cause: error },
  );
}

const CLOSED = /Unable to open connection to local database|unable to open database file|readonly/;

/** For a file that it can't open, the library's error is only a number. */
export function whyNotOpened(url: string, error: unknown): string {
  const message = messageOf(error);
  return isEmbedded(url) && CLOSED.test(message) ? whyClosed(filePathOf(url)) : message;
}

/** Safe to show: removes a password or token from the address. */
export function withoutSecrets(url: string): string {
  return url.replace(/\?.*$/, "").replace(/\/\/[^/@]*@/, "//");
}

export function isEmbedded(url: string): boolean {
  return url.startsWith("file:");
}

export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split(/(\s)/).map(withoutLogin).join("");
}
