/** The demo begins anew each time, with a master key that nothing real is sealed with. */
export const DEMO_FOLDER = "./data/demo";
export const DEMO_DATABASE_URL = `file:${DEMO_FOLDER}/cpg.db`;

export function isDemoDatabase(url: string): boolean {
  return url === DEMO_DATABASE_URL || url === DEMO_DATABASE_URL.replace("./", "");
}

/**
 * Makes the file of an embedded database, and its folder, where the program may; opening it tells if
 * that was not enough. Its owner alone reads it.
 */
export async function ensureDatabaseFile(url: string): Promise<void> {
  const path = url.replace(/^file:(\/\/(localhost)?(?=\/))?/, "").replace(/\?.*$/, "");
  const slash = path.lastIndexOf("/");
  try {
    if (slash > 0) await Deno.mkdir(path.slice(0, slash), { recursive: true });
    // What the URL escapes, or keeps in memory, only the database knows the name of.
    if (/[%:]/.test(path)) return;
    (await Deno.open(path, { write: true, createNew: true, mode: 0o600 })).close();
  } catch (error) {
    if (!OPENERS_PROBLEMS.some((kind) => error instanceof kind)) throw error;
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

/** With what stands beside it while it is open. */
export async function removeDatabaseFile(url: string): Promise<void> {
  const path = url.replace(/^file:/, "");
  for (const name of [path, `${path}-wal`, `${path}-shm`]) {
    await Deno.remove(name).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
}

/** False also where the program may not look: opening tells then. */
export async function isMissing(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => false, (error) => error instanceof Deno.errors.NotFound);
}
