/** Makes the folder of an embedded database where the program may; opening it tells if that was not enough. */
export async function ensureDatabaseFolder(url: string): Promise<void> {
  const path = url.replace(/^file:(\/\/(localhost)?(?=\/))?/, "").replace(/\?.*$/, "");
  const slash = path.lastIndexOf("/");
  if (slash <= 0) return;
  try {
    await Deno.mkdir(path.slice(0, slash), { recursive: true });
  } catch (error) {
    const isOpenersProblem = error instanceof Deno.errors.NotCapable ||
      error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.AlreadyExists ||
      error instanceof Deno.errors.NotADirectory;
    if (!isOpenersProblem) throw error;
  }
}

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
