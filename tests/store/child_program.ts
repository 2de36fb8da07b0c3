/** A program in a process of its own that reads and writes lines. */
export interface ChildProgram extends AsyncDisposable {
  /** The next line it prints. Undefined: it has ended. */
  line(): Promise<string | undefined>;
  say(line: string): Promise<void>;
  kill(): Promise<void>;
  readonly status: Promise<Deno.CommandStatus>;
}

interface ChildOptions {
  readonly args?: readonly string[];
  readonly denoArgs?: readonly string[];
}

const CONFIG = new URL("../../deno.json", import.meta.url).pathname;

export function startChild(
  script: URL,
  { args = [], denoArgs = [] }: ChildOptions = {},
): ChildProgram {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-q",
      "-A",
      "--no-lock",
      "--config",
      CONFIG,
      ...denoArgs,
      script.pathname,
      ...args,
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines = linesOf(child.stdout);
  const input = child.stdin.getWriter();
  const kill = async () => {
    try {
      child.kill("SIGKILL");
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // It has ended already.
    }
    await child.status;
    await input.close().catch(() => {});
  };
  return {
    line: async () => (await lines.next()).value,
    say: (line) => input.write(new TextEncoder().encode(`${line}\n`)),
    kill,
    status: child.status,
    [Symbol.asyncDispose]: async () => {
      await kill();
      for await (const _ of lines) continue;
    },
  };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n");
    rest = parts.pop()!;
    yield* parts;
  }
  return undefined;
}
