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
