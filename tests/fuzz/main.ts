/** Random input for everything that listens: `deno task fuzz --help` */
import process from "node:process";
import { parseArgs } from "node:util";
import type { FuzzOptions, FuzzPart } from "./fuzz.ts";

const PARTS: Readonly<Record<string, () => Promise<FuzzPart>>> = {
  http: () => import("./http.ts"),
  node: () => import("./node.ts"),
  webhook: () => import("./webhook.ts"),
};

const HELP = `deno task fuzz [PART…] [--seed N] [--requests N] [--seconds N]

  PART           ${
  Object.keys(PARTS).join(", ")
}; all of them, one after the other, if none is given
  --seed N       the same number, the same inputs (a new one each time)
  --requests N   how many inputs for each part at most (1000000)
  --seconds N    how long all parts together may take at most (600)
  --help         this

It exits with 1 if anything was found, and prints the smallest input that shows it.`;

const report = (line: string) => void process.stdout.write(`${line}\n`);
const options = readOptions();
if (typeof options === "string") {
  process.stderr.write(`${options}\n\n${HELP}\n`);
  Deno.exit(2);
}
if (options.help) {
  report(HELP);
  Deno.exit(0);
}
const names = options.parts.length > 0 ? options.parts : Object.keys(PARTS);
const seed = Number(options.seed ?? crypto.getRandomValues(new Uint32Array(1))[0]);
const seconds = Number(options.seconds) / names.length;
report(`seed ${seed}`);
let found = 0;
for (const name of names) {
  found += await fuzz(name, { seed, requests: Number(options.requests), seconds, report });
}
report(found === 0 ? "Nothing found" : `${found} found`);
Deno.exit(found === 0 ? 0 : 1);

async function fuzz(name: string, given: FuzzOptions): Promise<number> {
  const startedAt = performance.now();
  report(`${name}:`);
  const { run } = await PARTS[name]!();
  const { done, findings, notes } = await run(given);
  const took = (performance.now() - startedAt) / 1_000;
  const rate = Math.round(done / took).toLocaleString("en");
  report(`  ${done.toLocaleString("en")} inputs in ${took.toFixed(1)} s (${rate}/s)`);
  for (const note of notes) report(`  ${note}`);
  for (const { what, reproduction } of findings) report(`  FOUND ${what}\n    ${reproduction}`);
  return findings.length;
}

/** Reports wrong options in words. */
function readOptions() {
  try {
    const { values, positionals: parts } = parseArgs({
      allowPositionals: true,
      options: {
        help: { type: "boolean", short: "h", default: false },
        seed: { type: "string" },
        requests: { type: "string", default: "1000000" },
        seconds: { type: "string", default: "600" },
      },
    });
    const { help, ...numbers } = values;
    const wrong = Object.entries(numbers).find(([, text]) => !/^\d+$/.test(text ?? "0"));
    if (wrong) return `--${wrong[0]} ${wrong[1]} is not a whole number`;
    const unknown = parts.find((part) => !(part in PARTS));
    if (unknown !== undefined) return `There is no part ${unknown}`;
    return { ...numbers, help, parts };
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    throw error;
  }
}
