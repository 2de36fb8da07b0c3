import { createPrivately, isThere } from "./native_files.ts";

/** The demo begins anew each time, with a master key that nothing real is sealed with. */
export const DEMO_FOLDER = "./data/demo";
export const DEMO_DATABASE_URL = `file:${DEMO_FOLDER}/cpg.db`;

/** Of an installation whose operator has said nothing. */
export const DEFAULT_DATABASE_URL = "file:./data/cpg.db";

export function isDefaultDatabase(url: string): boolean {
  return url === DEFAULT_DATABASE_URL || url === DEFAULT_DATABASE_URL.replace("./", "");
}

export function isDemoDatabase(url: string): boolean {
  return url === DEMO_DATABASE_URL || url === DEMO_DATABASE_URL.replace("./", "");
}

/** Makes the folder of an embedded database where the program may; opening it tells if that was not enough. */
export async function ensureDatabaseFolder(url: string): Promise<void> {
  const path = filePathOf(url);
  const slash = path.lastIndexOf("/");
  if (slash <= 0) return;
  await leaveToOpening(() => Deno.mkdir(path.slice(0, slash), { recursive: true, mode: 0o700 }));
}

/** Its file as well, which its owner alone may read. */
export async function ensureDatabaseFile(url: string): Promise<void> {
  await ensureDatabaseFolder(url);
  const path = filePathOf(url);
  if (isInMemory(path)) return;
  await leaveToOpening(async () => {
    try {
      (await Deno.open(path, { write: true, createNew: true, mode: 0o600 })).close();
    } catch (error) {
      if (!(error instanceof Deno.errors.NotCapable)) throw error;
      // What cannot be made like that, or is no database, opening tells of.
      await createPrivately(path).catch(() => {});
    }
  });
}

function isInMemory(path: string): boolean {
  return path.startsWith(":");
}

function pathOf(url: string): string {
  return url.replace(/^file:(\/\/(localhost)?(?=\/))?/, "").replace(/\?.*$/, "");
}

/** As the system knows it: what is special in addresses is none in paths. */
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

/** With what stands beside it while it is open. */
export async function removeDatabaseFile(url: string): Promise<void> {
  const path = filePathOf(url);
  for (const name of [path, `${path}-wal`, `${path}-shm`]) {
    await Deno.remove(name).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
}

/** Asks the database where the program itself may not look. */
export async function isMissing(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return false;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return !await isThere(path);
    return error instanceof Deno.errors.NotFound;
  }
}
