import { present } from "../../../src/base/assert.ts";

export interface ChildGateway {
  readonly url: string;
  readonly pid: number;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
  /** Ends it with SIGTERM and returns the exit code. */
  terminate(): Promise<number>;
  readonly ended: Promise<Deno.CommandStatus>;
  readonly stderr: () => string;
}

const MAIN = new URL("../../../main.ts", import.meta.url).pathname;
const ROOT = new URL("../../../", import.meta.url).pathname;

/** The program itself in a process of its own, as `deno task start` runs it. */
export async function startChildGateway(
  env: Record<string, string>,
  { permissions = ["-P"], filesMax = "unlimited" }: {
    permissions?: readonly string[];
    /** The limit of open files and connections. */
    filesMax?: number | "unlimited";
  } = {},
): Promise<ChildGateway> {
  const limit = filesMax === "unlimited" ? "" : `ulimit -n ${filesMax}; `;
  const args = [Deno.execPath(), "run", "-q", ...permissions, MAIN, "serve"];
  const child = new Deno.Command("sh", {
    args: ["-c", `${limit}exec "$@"`, "sh", ...args],
    cwd: ROOT,
    env: { CPG_PORT: "0", CPG_LOG_LEVEL: "warn", ...env },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let errors = "";
  const errorsRead = child.stderr.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({ write: (text) => void (errors += text) }),
  );
  let output = "";
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.pipeThrough(new TextDecoderStream()).pipeTo(
      new WritableStream({
        write: (text) => {
          output += text;
          const found = /http:\/\/\S+/.exec(output);
          if (found) resolve(found[0]);
        },
        close: () => reject(new Error(`The gateway did not start: ${output}${errors}`)),
      }),
    ).catch(reject);
  });
  const end = async (signal: Deno.Signal) => {
    child.kill(signal);
    const status = await child.status;
    await errorsRead.catch(() => {});
    return status;
  };
  return {
    url: present(url, "The gateway tells its URL"),
    pid: child.pid,
    kill: async () => void await end("SIGKILL"),
    terminate: async () => (await end("SIGTERM")).code,
    ended: child.status,
    stderr: () => errors,
  };
}
