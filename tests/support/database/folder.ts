/** In memory when all tests run: a database waits for the disk at every commit. */
export function makeDatabaseFolder(prefix: string): Promise<string> {
  const dir = Deno.env.get("TESTS_IN_MEMORY");
  return Deno.makeTempDir({ prefix, ...dir ? { dir } : {} });
}
