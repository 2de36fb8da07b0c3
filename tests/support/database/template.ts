import assert from "node:assert/strict";
import { createClient } from "@libsql/client";
import { openDb } from "../../../src/store/engine/db.ts";
import { migrate } from "../../../src/store/upkeep/migrate.ts";
import { loadBaseline, loadMigrations } from "../../../src/store/upkeep/migration_files.ts";
import { makeDatabaseFolder } from "./folder.ts";
import { startSqld } from "./sqld.ts";

/** The contents of a folder by path. */
type Files = ReadonlyMap<string, Uint8Array>;

/** A database that is made once and copied: to make it again takes longer than most tests. */
export interface Template {
  copyToFile(folder: string): Promise<void>;
  /** Into the folder of a new server. */
  copyToServer(folder: string): Promise<void>;
}

type Fill = (url: string) => Promise<void>;

export function templateOf(fill: Fill): Template {
  let file: Promise<Files> | undefined;
  let server: Promise<Files> | undefined;
  return {
    copyToFile: async (folder) => await writeFiles(folder, await (file ??= filledFile(fill))),
    copyToServer: async (folder) => await writeFiles(folder, await (server ??= filledServer(fill))),
  };
}

/** With the present migrations. */
export const MIGRATED = templateOf(async (url) => {
  const db = await openDb({ url });
  await migrate(db, {
    migrations: await loadMigrations(),
    baseline: await loadBaseline(),
    nowMs: Date.now(),
  });
  await db.close();
});

async function filledFile(fill: Fill): Promise<Files> {
  const folder = await makeDatabaseFolder("cpg-template-");
  const url = `file:${folder}/cpg.db`;
  await fill(url);
  await moveLogIntoFile(url);
  const files = new Map([["cpg.db", await Deno.readFile(`${folder}/cpg.db`)]]);
  await Deno.remove(folder, { recursive: true });
  return files;
}

/** A closed connection may hold its log a little longer; whoever reads then would miss half of it. */
async function moveLogIntoFile(url: string): Promise<void> {
  const client = createClient({ url });
  const { rows } = await client.execute("PRAGMA wal_checkpoint(TRUNCATE)");
  client.close();
  assert.equal(rows[0]?.busy, 0);
}

async function filledServer(fill: Fill): Promise<Files> {
  await using sqld = await startSqld();
  await fill(sqld.url);
  await sqld.kill();
  return await readFiles(sqld.folder);
}

async function readFiles(folder: string, under = ""): Promise<Files> {
  const files = new Map<string, Uint8Array>();
  for await (const { name, isDirectory } of Deno.readDir(`${folder}/${under}`)) {
    const path = `${under}${name}`;
    // Processes share it while they run, and make it when they start.
    if (name.endsWith("-shm")) continue;
    if (!isDirectory) files.set(path, await Deno.readFile(`${folder}/${path}`));
    else for (const [inner, bytes] of await readFiles(folder, `${path}/`)) files.set(inner, bytes);
  }
  return files;
}

async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [path, bytes] of files) {
    await Deno.mkdir(`${folder}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeFile(`${folder}/${path}`, bytes, { mode: 0o600 });
  }
}
