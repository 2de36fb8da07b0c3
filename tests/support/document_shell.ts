import { hasProgram } from "./programs/needed.ts";
import type { Checkout } from "./programs/checkout.ts";
import { eventually } from "./programs/eventually.ts";
import { lastingPort } from "./programs/ports.ts";

/** A reader at a terminal, in a checkout of their own. */
export interface DocumentShell extends AsyncDisposable {
  readonly folder: string;
  readonly port: number;
  /** Runs lines in the one shell and returns what they print; fails if one of them fails. */
  run(lines: string): Promise<string>;
  /** Starts a program that runs until it is stopped, and returns its output until it is ready. */
  start(lines: string): Promise<string>;
  /** Stops all that was started, as Ctrl-C does. */
  stop(): Promise<void>;
}

/** Whether this machine has the tools that so many tests of documents need. */
export async function hasTools({ tests }: { tests: number }): Promise<boolean> {
  for (const tool of ["bash", "sh", "curl", "openssl", "sed", "awk", "date"]) {
    if (!await hasProgram(tool, { tests })) return false;
  }
  return true;
}

const IS_READY = /Listening on|The command line works/;
const WITHIN_MS = 300_000;
/** The reader's answers to commands that ask for confirmation. */
const ANSWERS = "show\n";

/** Starts from a clean checkout. Programs start faster where they ran before. */
export async function openDocumentShell(
  checkout: Checkout,
  variables: Readonly<Record<string, string>> = {},
): Promise<DocumentShell> {
  await checkout.clean();
  const { folder } = checkout;
  const port = lastingPort();
  const child = new Deno.Command("bash", {
    args: ["-e"],
    cwd: folder,
    env: environment({ CPG_PORT: String(port), ...variables }),
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const keyboard = child.stdin.getWriter();
  const screen = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  await Deno.writeTextFile(`${folder}/answers`, ANSWERS);
  const type = async (order: string) => {
    await keyboard.write(new TextEncoder().encode(`${order}\necho done\n`));
    const timer = setTimeout(() => child.kill("SIGKILL"), WITHIN_MS);
    const { done } = await screen.read();
    clearTimeout(timer);
    return !done;
  };
  const servers: string[] = [];
  const stop = () => Promise.all(servers.splice(0).map(endGroup)).then(() => {});
  let count = 0;
  return {
    folder,
    port,
    run: async (lines) => {
      await Deno.writeTextFile(`${folder}/lines`, lines);
      const isRun = await type(". ./lines < answers > printed 2>&1");
      const printed = await Deno.readTextFile(`${folder}/printed`);
      if (!isRun) throw new Error(`Failed:\n${lines}\n${printed}`);
      return printed;
    },
    start: async (lines) => {
      const [script, output, group] = ["script", "output", "group"].map((name) =>
        `${folder}/${name}${count}`
      ) as [string, string, string];
      count += 1;
      await Deno.writeTextFile(script, lines);
      await Deno.writeTextFile(output, "");
      // A process group of its own, so that all of it can be stopped.
      const job = `(. ${script}) < /dev/null > ${output} 2>&1 & echo $! > ${group}`;
      await type(`set -m; ${job}; set +m`);
      servers.push((await Deno.readTextFile(group)).trim());
      const until = (text: string) => IS_READY.test(text);
      return await eventually(() => Deno.readTextFile(output), { until, withinMs: WITHIN_MS });
    },
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
      await keyboard.close().catch(() => {});
      await screen.cancel().catch(() => {});
      await child.status;
    },
  };
}

async function endGroup(group: string): Promise<void> {
  const signal = (name: string) =>
    new Deno.Command("kill", { args: [name, "--", `-${group}`], stderr: "null" }).output();
  await signal("-TERM");
  await eventually(() => signal("-0"), { until: ({ success }) => !success });
}

/** Without this machine's own CPG settings. */
function environment(variables: Readonly<Record<string, string>>): Record<string, string> {
  const others = Object.entries(Deno.env.toObject()).filter(([name]) => !name.startsWith("CPG_"));
  const deno = Deno.execPath().replace(/\/[^/]*$/, "");
  return {
    ...Object.fromEntries(others),
    PATH: `${deno}:${Deno.env.get("PATH")}`,
    NO_COLOR: "1",
    CPG_LOG_LEVEL: "warn",
    ...variables,
  };
}
