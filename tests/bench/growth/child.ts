import { TextLineStream } from "../lines.ts";

const ROOT = new URL("../../../", import.meta.url).pathname;

export interface Child extends AsyncDisposable {
  /** The first line of its output. */
  readonly greeting: string;
  readonly pid: number;
  /** One line in, one line out. */
  ask(): Promise<string>;
}

/** A program of this folder that answers each line with one; what it logs goes nowhere. */
export async function startChild(
  program: string,
  { env, flags = [] }: { env: Record<string, string>; flags?: readonly string[] },
): Promise<Child> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "-P=test", ...flags, new URL(program, import.meta.url).pathname],
    cwd: ROOT,
    env,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const orders = child.stdin.getWriter();
  const reports = child.stdout.pipeThrough(new TextDecoderStream())
    .pipeThrough(new TextLineStream()).getReader();
  const next = async () => {
    const { value } = await reports.read();
    if (value === undefined) throw new Error(`${program} died`);
    return value;
  };
  return {
    greeting: await next(),
    pid: child.pid,
    ask: async () => {
      await orders.write(new TextEncoder().encode("\n"));
      return await next();
    },
    [Symbol.asyncDispose]: async () => {
      await orders.close();
      await reports.cancel();
      await child.status;
    },
  };
}
