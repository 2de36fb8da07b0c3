/** A disk of its own, or undefined where this user may not make one. */
export async function makeSmallDisk(bytes: number): Promise<SmallDisk | undefined> {
  const path = await Deno.makeTempDir({ prefix: "cpg-small-disk-" });
  const mounted = await run("mount", "-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", path);
  if (!mounted) {
    await Deno.remove(path);
    return undefined;
  }
  return {
    path,
    fill: async () => {
      using file = await Deno.open(`${path}/filling`, { create: true, append: true });
      const page = new Uint8Array(4096);
      for (;;) {
        try {
          await file.write(page);
        } catch {
          return;
        }
      }
    },
    empty: () => Deno.remove(`${path}/filling`),
    names: () => [...Deno.readDirSync(path)].map(({ name }) => name).toSorted(),
    [Symbol.asyncDispose]: async () => {
      await run("umount", path);
      await Deno.remove(path);
    },
  };
}

interface SmallDisk extends AsyncDisposable {
  readonly path: string;
  /** To the last page. */
  fill(): Promise<void>;
  empty(): Promise<void>;
  names(): string[];
}

async function run(command: string, ...args: string[]): Promise<boolean> {
  try {
    const options = { args, stdout: "null", stderr: "null" } as const;
    return (await new Deno.Command(command, options).output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
