import { type ActionRefused, refuse } from "../../domain/refusals/refuse.ts";
import { systemCalls } from "./native_calls.ts";
import { isThere } from "./native_files.ts";
import { folderOf, nearestFolder } from "./whose.ts";

/** The demo starts anew each time, with a master key that seals nothing real. */
export const DEMO_FOLDER = "./data/demo";
export const DEMO_DATABASE_URL = `file:${DEMO_FOLDER}/cpg.db`;

/** The default. */
export const DEFAULT_DATABASE_URL = "file:./data/cpg.db";

export function isDemoDatabase(url: string): boolean {
  return url === DEMO_DATABASE_URL || url === DEMO_DATABASE_URL.replace("./", "");
}

/** Creates the folder of an embedded database if it can; if it can't, opening the database fails. */
export async function ensureDatabaseFolder(url: string): Promise<void> {
  const path = filePathOf(url);
  if (!path.includes("/")) return;
  await leaveToOpening(() => Deno.mkdir(folderOf(path), { recursive: true, mode: 0o700 }));
}

/** Creates the file too, readable only by its owner. */
export async function ensureDatabaseFile(url: string): Promise<void> {
  await ensureDatabaseFolder(url);
  const path = filePathOf(url);
  if (isInMemory(path)) return;
  await leaveToOpening(async () => {
    try {
      (await Deno.open(path, { write: true, createNew: true, mode: 0o600 })).close();
    } catch (error) {
      if (!(error instanceof Deno.errors.NotCapable)) throw error;
      createNatively(path);
    }
  });
}

/** If it can't be created, opening the database will say why. */
function createNatively(path: string): void {
  const calls = systemCalls();
  if (!calls || calls.stat(path)) return;
  const draft = calls.writeDraft(path, new Uint8Array());
  if (draft === undefined) return;
  calls.link(draft, path);
  calls.remove(draft);
}

export function isInMemory(path: string): boolean {
  return path.startsWith(":");
}

function pathOf(url: string): string {
  return url.replace(/^file:(\/\/(localhost)?(?=\/))?/, "").replace(/\?.*$/, "");
}

/** As a file path: characters that are special in URLs are not in paths. */
export function filePathOf(url: string): string {
  const path = pathOf(url);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const OPENERS_PROBLEMS = [
  Deno.errors.NotCapable,
  Deno.errors.PermissionDenied,
  Deno.errors.AlreadyExists,
  Deno.errors.NotADirectory,
  Deno.errors.NotFound,
  Deno.errors.IsADirectory,
];

async function leaveToOpening(make: () => Promise<void>): Promise<void> {
  try {
    await make();
  } catch (error) {
    if (!OPENERS_PROBLEMS.some((kind) => error instanceof kind)) throw error;
  }
}

/** With its WAL and shared-memory files. */
export async function removeDatabaseFile(url: string): Promise<void> {
  const path = filePathOf(url);
  for (const name of [path, `${path}-wal`, `${path}-shm`]) {
    await Deno.remove(name).catch((error) => {
      const calls = error instanceof Deno.errors.NotCapable ? systemCalls() : null;
      if (calls) return calls.remove(name);
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
}

/** "unknown": it can't be opened, and this program may not check whether it exists. */
type Presence = "there" | "missing" | "unreadable" | "unknown";

/** Asks the database engine where the program itself may not look. */
export async function presenceOf(path: string): Promise<Presence> {
  try {
    await Deno.stat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) {
      return await isThere(path) ? "there" : absence(path);
    }
    const isMissing = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory;
    return isMissing ? "missing" : "unreadable";
  }
  return await isThere(path) ? "there" : "unreadable";
}

function absence(path: string): Presence {
  const calls = systemCalls();
  if (!calls) return "unknown";
  if (calls.stat(path)) return "unreadable";
  // What lies in a folder that this program may not look into isn't seen.
  return calls.mayEnter(nearestFolder(folderOf(path), calls)) ? "missing" : "unknown";
}

/** Why a file can't be read; undefined if it can. */
export async function whyUnread(path: string): Promise<ActionRefused | undefined> {
  switch (await presenceOf(path)) {
    case "there":
      return undefined;
    case "missing":
      return refuse("file_missing", { path });
    case "unreadable":
      return refuse("file_unreadable", { path });
    case "unknown":
      return refuse("file_hidden", { path });
  }
}
