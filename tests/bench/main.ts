/** Measures the speed against what this machine allows: `deno task bench --help` */
import { parseArgs } from "node:util";
import { BITCOIN_PART } from "./bitcoin/bitcoin.ts";
import { CATCH_UP_FIGURE } from "./catch_up_figure.ts";
import { CHECKOUT_PART } from "./checkout/checkout.ts";
import { FAR_PART } from "./far/far.ts";
import { figuresPart } from "./figure.ts";
import { GROWTH_PART } from "./growth/growth.ts";
import { HOLD_FIGURES } from "./hold_figures.ts";
import { HTTP_FIGURES } from "./http_figures.ts";
import type { Missing, Part } from "./part.ts";
import { PAYOUT_FIGURE } from "./payout_figure.ts";
import { progressLine, type Section, tableOf, timeOf } from "./report.ts";
import type { Row } from "./row.ts";
import { RULE_FIGURE } from "./rule_figure.ts";
import { WEBHOOK_FIGURE } from "./webhook_figure.ts";

const HELP = `deno task bench [--only TEXT] [--rounds N] [--json]

  --only TEXT   the rows whose name has TEXT in it; "limits", "checkout", "growth", "far" or
                "bitcoin" for a part
  --rounds N    how often each row is measured, after a round that only warms up (5); those of
                "far" are measured once
  --json        the rows as JSON on stdout instead of the table
  --help        this

It takes twelve minutes and both cores: let nothing else run beside it. What is under way is told on
stderr. "far" is how many round trips and calls things take if a node is 80 ms away, each row next
to its goal: "ok" or "short".`;
const FIGURES = [
  ...HTTP_FIGURES,
  ...HOLD_FIGURES,
  RULE_FIGURE,
  CATCH_UP_FIGURE,
  PAYOUT_FIGURE,
  WEBHOOK_FIGURE,
];
const PARTS: readonly Part[] = [
  ...[figuresPart(FIGURES), CHECKOUT_PART, GROWTH_PART, FAR_PART, BITCOIN_PART],
];

interface Wanted {
  readonly part: Part;
  readonly names: ReadonlySet<string>;
}

await main();

async function main(): Promise<void> {
  const options = readOptions();
  if (typeof options === "string") return fail(`${options}\n\n${HELP}`);
  if (options.help) return print(HELP);
  const rounds = Number(options.rounds);
  if (!Number.isSafeInteger(rounds) || rounds < 1) {
    return fail(`--rounds is a whole number from 1 on, not ${options.rounds}`);
  }
  const wanted = wantedBy(options.only);
  if (wanted.length === 0) {
    const known = PARTS.flatMap(({ key, names }) => names.map((name) => `  ${key}: ${name}`));
    return fail(`No row has "${options.only}" in its name. There are:\n${known.join("\n")}`);
  }
  const startedAt = performance.now();
  const sections: Section[] = [];
  for (const one of wanted) sections.push(await measure(one, { rounds, startedAt }));
  const seconds = (performance.now() - startedAt) / 1_000;
  if (options.json) print(JSON.stringify({ rounds, seconds, sections }, null, 2));
  else print(`${sections.map(tableOf).join("\n\n")}\n\n${rounds} rounds, ${timeOf(seconds)}`);
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        help: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        rounds: { type: "string", default: "5" },
        only: { type: "string", default: "" },
      },
    });
    return values;
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    throw error;
  }
}

function wantedBy(text: string): Wanted[] {
  const isWanted = (name: string) => name.toLowerCase().includes(text.toLowerCase());
  return PARTS.flatMap((part) => {
    const names = new Set(part.names.filter((name) => isWanted(`${part.key}: ${name}`)));
    return names.size > 0 ? [{ part, names }] : [];
  });
}

/** Each row with the time it took, including its preparation. */
async function measure(
  { part, names }: Wanted,
  { rounds, startedAt }: { rounds: number; startedAt: number },
): Promise<Section> {
  const rows: (Row | Missing)[] = [];
  const report = (text: string) =>
    say(`${timeOf((performance.now() - startedAt) / 1_000).padStart(6)}  ${text}`);
  let since = performance.now();
  for await (const row of part.measure({ names, rounds, say: report })) {
    const now = performance.now();
    const timed = { ...row, seconds: (now - since) / 1_000 };
    since = now;
    rows.push(timed);
    report(`${rows.length}/${names.size}  ${progressLine(timed)}`);
  }
  const { heading, hasGoals = false } = part;
  return { heading, hasGoals, rows };
}

function fail(text: string): void {
  say(text);
  Deno.exitCode = 2;
}

function print(text: string): void {
  // deno-lint-ignore no-console -- the report of this program
  console.log(text);
}

function say(text: string): void {
  // deno-lint-ignore no-console -- progress for the person who waits
  console.error(text);
}
