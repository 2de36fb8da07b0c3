// deno-lint-ignore-file no-console -- a build tool tells what it made
/** One binary for each target: deno task compile [--target linux-arm64] [--output dist/cpg] */

/** What the program reads at run time and no import names. */
export const EMBEDDED = ["migrations"];

const TARGETS: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64-unknown-linux-gnu",
  "linux-arm64": "aarch64-unknown-linux-gnu",
  "macos-x64": "x86_64-apple-darwin",
  "macos-arm64": "aarch64-apple-darwin",
  "windows-x64": "x86_64-pc-windows-msvc",
};

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
      "--exclude-unused-npm",
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

async function main(): Promise<void> {
  const { targets, output } = readOrder(Deno.args);
  await checkBase(Deno.env.get("DENORT_BIN"));
  for (const target of targets.length > 0 ? targets : [undefined]) {
    const file = await compile(target, target ? `${output}-${target}` : output);
    const { size } = await Deno.stat(file);
    console.log(`${file}: ${(size / 1e6).toFixed(1)} MB`);
  }
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    console.error((error as Error).message);
    Deno.exit(1);
  }
}
