import { type Client, createClient as createFileClient } from "@libsql/client/sqlite3";
import { createClient as createWebClient } from "@libsql/client/web";
import type { Clock } from "../../src/base/clock.ts";
import { isEmbedded } from "../../src/store/connection/connect.ts";
import type { Connection } from "../../src/store/connection/connection.ts";
import { type Db, openDb } from "../../src/store/engine/db.ts";
import { loadMigrations } from "../../src/store/upkeep/migration_files.ts";
import { openConnection } from "../../src/store/connection/open_connection.ts";
import { makeDatabaseFolder } from "../support/database/folder.ts";
import { startSqld } from "../support/database/sqld.ts";
import { MIGRATED } from "../support/database/template.ts";

export const MIGRATIONS = await loadMigrations();
export const AT_MS = 1_767_225_600_000;

/** An empty, migrated database, and as many programs on it as the test opens. */
export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  open(options?: { clock?: Clock }): Promise<Db>;
  /** Connects as the store does. */
  connect(): Promise<Connection>;
  /** Bypasses the store: what another program would see and do. */
  client(): Client;
}

export type DatabaseKind = "an embedded file" | "a database server";
export const DATABASE_KINDS: readonly DatabaseKind[] = ["an embedded file", "a database server"];

interface DatabaseOptions {
  readonly isMigrated?: boolean;
}

export async function makeDatabase(
  kind: DatabaseKind,
  { isMigrated = true }: DatabaseOptions = {},
): Promise<TestDatabase> {
  const place = await makePlace(kind, isMigrated);
  const opened: { close(): unknown }[] = [];
  const keep = <T extends { close(): unknown }>(one: T): T => {
    opened.push(one);
    return one;
  };
  const database: TestDatabase = {
    url: place.url,
    open: async (options = {}) => keep(await openDb({ url: place.url, ...options })),
    connect: async () => keep(await openConnection({ url: place.url })),
    client: () => keep(plainClient(place.url)),
    [Symbol.asyncDispose]: async () => {
      for (const one of opened) await one.close();
      await place.remove();
    },
  };
  return database;
}

/** The same test on an embedded file and on a real server. */
export function testOnBoth(name: string, run: (database: TestDatabase) => Promise<void>): void {
  for (const kind of DATABASE_KINDS) {
    Deno.test(`on ${kind}, ${name}`, async () => {
      await using database = await makeDatabase(kind);
      await run(database);
    });
  }
}

async function makePlace(
  kind: DatabaseKind,
  isMigrated: boolean,
): Promise<{ url: string; remove(): Promise<void> }> {
  if (kind === "an embedded file") {
    const folder = await makeDatabaseFolder("cpg-store-");
    if (isMigrated) await MIGRATED.copyToFile(folder);
    const remove = () => Deno.remove(folder, { recursive: true });
    return { url: `file:${folder}/cpg.db`, remove };
  }
  const sqld = await startSqld({ fill: isMigrated ? MIGRATED.copyToServer : undefined });
  return { url: sqld.url, remove: async () => await sqld[Symbol.asyncDispose]() };
}

function plainClient(url: string): Client {
  return isEmbedded(url) ? createFileClient({ url }) : createWebClient({ url });
}
