// deno-lint-ignore-file no-console -- a build tool reports what it made
/** One binary for each target: deno task compile [--target linux-arm64] [--output dist/cpg] */

/** What the program reads at run time but no import names. */
export const EMBEDDED = ["migrations"];

const TARGETS: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64-unknown-linux-gnu",
  "linux-arm64": "aarch64-unknown-linux-gnu",
  "macos-x64": "x86_64-apple-darwin",
  "macos-arm64": "aarch64-apple-darwin",
  "windows-x64": "x86_64-pc-windows-msvc",
};

const HELP = `deno task compile [--target TARGET]... [--output FILE]

  --target TARGET   ${Object.keys(TARGETS).join(", ")};
                    may be repeated, and without it is this machine's
  --output FILE     where to, and with a target behind it where targets are named (dist/cpg)
  --help            this

DENORT_BIN names Deno's runtime base where it cannot be downloaded.`;
const RUNS_WITHIN_MS = 60_000;

interface Order {
  readonly targets: readonly string[];
  readonly output: string;
}

export function readOrder(args: readonly string[]): Order {
  const targets: string[] = [];
  let output = "dist/cpg";
  for (let i = 0; i < args.length; i += 2) {
    const [flag, value] = [args[i], args[i + 1]];
    if (flag === "--target" && value !== undefined && Object.hasOwn(TARGETS, value)) {
      targets.push(value);
    } else if (flag === "--output" && value) output = value;
    else {
      throw new Error(
        `${flag} ${value ?? ""} is not understood: --target ${Object.keys(TARGETS).join("|")}, ` +
          "--output FILE",
      );
    }
  }
  return { targets, output };
}

async function compile(target: string | undefined, output: string): Promise<string> {
  const file = target?.startsWith("windows") ? `${output}.exe` : output;
  const { success, stderr } = await new Deno.Command("deno", {
    args: [
      "compile",
      "--quiet",
      "-P",
      "--no-prompt",
      "--v8-flags=--min-semi-space-size=32,--heap-growing-percent=50",
      "--exclude-unused-npm",
      // `deno task ok` checks types.
      "--no-check",
      ...EMBEDDED.flatMap((path) => ["--include", path]),
      ...(target ? ["--target", TARGETS[target]!] : []),
      ...["--output", file, "main.ts"],
    ],
    cwd: new URL("..", import.meta.url).pathname,
    stderr: "piped",
  }).output();
  if (success) return file;
  throw new Error(explain(new TextDecoder().decode(stderr), target));
}

/** One line of what the compiler said. */
export function explain(told: string, target: string | undefined): string {
  if (/denort|error sending request|dl\.deno\.land|lookup address/.test(told)) {
    const { deno } = Deno.version;
    const name = target ? TARGETS[target] : Deno.build.target;
    return `Cannot download Deno's runtime base: set DENORT_BIN to a denort of Deno ${deno}, ` +
      `unpacked from https://dl.deno.land/release/v${deno}/denort-${name}.zip`;
  }
  return /^error: .*$/m.exec(told)?.[0] ?? told.trim().split("\n")[0]!;
}

/** Without it the compiler downloads one. */
export async function checkBase(path: string | undefined): Promise<void> {
  if (!path) return;
  const file = await Deno.stat(path).catch(() => undefined);
  if (!file?.isFile) throw new Error(`DENORT_BIN names no file: ${path}`);
}

/** With another base than denort the file looks right, but is another program. */
export async function isProgram(file: string): Promise<boolean> {
  const printed = await versionOf(file).catch(() => "");
  return /^\{"version":"\d+\.\d+\.\d+",.*\}\n$/.test(printed);
}

async function versionOf(file: string): Promise<string> {
  const { success, stdout } = await new Deno.Command(await Deno.realPath(file), {
    args: ["version", "--json"],
    stdin: "null",
    stderr: "null",
    signal: AbortSignal.timeout(RUNS_WITHIN_MS),
  }).output();
  return success ? new TextDecoder().decode(stdout) : "";
}

/** If the work fails, a folder that it made is removed again. */
export async function tidily<T>(output: string, work: () => Promise<T>): Promise<T> {
  const folder = output.slice(0, Math.max(0, output.lastIndexOf("/"))) || ".";
  const isNew = await Deno.stat(folder).then(() => false, () => true);
  try {
    return await work();
  } catch (error) {
    // Only an empty one can be removed.
    if (isNew) await Deno.remove(folder).catch(() => {});
    throw error;
  }
}

async function main(): Promise<void> {
  if (Deno.args.some((arg) => arg === "--help" || arg === "-h")) return console.log(HELP);
  const { targets, output } = readOrder(Deno.args);
  await checkBase(Deno.env.get("DENORT_BIN"));
  await tidily(output, async () => {
    for (const target of targets.length > 0 ? targets : [undefined]) {
      const file = await compile(target, target ? `${output}-${target}` : output);
      const { size } = await Deno.stat(file);
      console.log(`${file}: ${(size / 1e6).toFixed(1)} MB`);
      const isOurs = !target || TARGETS[target] === Deno.build.target;
      if (isOurs && !await isProgram(file)) {
        console.error(
          `${file} holds the program and does not run as it: DENORT_BIN has to be a denort of Deno ` +
            `${Deno.version.deno}, which is another file than deno itself`,
        );
      }
    }
  });
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    console.error((error as Error).message);
    Deno.exit(1);
  }
}
