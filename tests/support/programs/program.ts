import { programHost } from "../../../src/app/host.ts";
import { runCli } from "../../../src/cli/run.ts";

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
  permissions?: string,
): Promise<Ran> {
  const { code, stdout, stderr } = await startProgram(args, env, permissions).output();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

/** The same entry in this process: for what it says and leaves behind, not what it may do. */
export async function runHere(
  args: readonly string[],
  env: Record<string, string>,
): Promise<Ran> {
  const said = { stdout: "", stderr: "" };
  const host = {
    ...programHost({ CPG_PORT: "0", CPG_LOG_LEVEL: "warn", ...env }),
    writeOut: (text: string) => void (said.stdout += text),
    writeError: (text: string) => void (said.stderr += text),
  };
  return { code: await runCli(args, host), ...said };
}

/** The program in a process of its own, for whoever wants to end it. */
export function startProgram(
  args: readonly string[],
  env: Record<string, string>,
  permissions = "-P",
): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", permissions, "main.ts", ...args],
    cwd: ROOT,
    env: { CPG_PORT: "0", CPG_LOG_LEVEL: "warn", ...env },
    ...{ stdin: "null", stdout: "piped", stderr: "piped" },
  }).spawn();
}
