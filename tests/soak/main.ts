import { parseArgs } from "node:util";
import process from "node:process";

const HELP = `deno task soak [--seed N] [--minutes N] [--faults RATE]

  --seed N        the same number, the same orders and faults (one by chance)
  --minutes N     how long it is busy, before everything settles (5)
  --faults RATE   how many of a node's answers are bad, from 0 to 1 (0.1)
  --help          this`;

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
const seed = Number(options.seed ?? crypto.getRandomValues(new Uint32Array(1))[0]);

report(`seed ${seed}, ${options.minutes} minutes`);
// Who only asks for help need not wait until all of it is loaded.
const { soak } = await import("./soak.ts");
const { totals, findings } = await soak({
  seed,
  busyMs: Number(options.minutes) * 60_000,
  faultRate: Number(options.faults),
  settlingMsMax: 120_000,
  report,
});
report(JSON.stringify(totals));
report(findings.length === 0 ? "Every coin is where it must be" : findings.join("\n"));
Deno.exit(findings.length === 0 ? 0 : 1);

/** Reports wrong options in words. */
function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        help: { type: "boolean", short: "h", default: false },
        seed: { type: "string" },
        minutes: { type: "string", default: "5" },
        faults: { type: "string", default: "0.1" },
      },
    });
    const { help: _help, ...numbers } = values;
    const wrong = Object.entries(numbers).find(([, text]) => !/^\d+(\.\d+)?$/.test(text ?? "0"));
    return wrong ? `--${wrong[0]} ${wrong[1]} is no number` : values;
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    throw error;
  }
}
