const ROOT = new URL("../../../", import.meta.url).pathname;

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The program's command line in a process of its own, with the permissions it is given everywhere. */
export async function runProgram(
  args: readonly string[],
  env: Record<string, string>,
): Promise<Ran> {
  const { code, stdout, stderr } = await startProgram(args, env).output();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

/** The same, for whoever wants to end it. */
export function startProgram(
  args: readonly string[],
  env: Record<string, string>,
): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "-P", "main.ts", ...args],
    cwd: ROOT,
    env: { CPG_PORT: "0", CPG_LOG_LEVEL: "warn", ...env },
    ...{ stdin: "null", stdout: "piped", stderr: "piped" },
  }).spawn();
}
