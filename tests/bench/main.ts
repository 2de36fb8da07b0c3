/** How fast it is, beside what this machine allows: `deno task bench [--json] [--rounds N] [--only TEXT]` */
import { parseArgs } from "node:util";
import { CATCH_UP_FIGURE } from "./catch_up_figure.ts";
import { type Figure, measure, type Measured } from "./figure.ts";
import { measureGrowth } from "./growth/growth.ts";
import { growthLine, type GrowthRow } from "./growth/row.ts";
import { HOLD_FIGURES } from "./hold_figures.ts";
import { HTTP_FIGURES } from "./http_figures.ts";
import { PAYOUT_FIGURE } from "./payout_figure.ts";
import { WEBHOOK_FIGURE } from "./webhook_figure.ts";

const FIGURES: readonly Figure[] = [
  ...HTTP_FIGURES,
  ...HOLD_FIGURES,
  CATCH_UP_FIGURE,
  PAYOUT_FIGURE,
  WEBHOOK_FIGURE,
];

const { values: options } = parseArgs({
  args: Deno.args,
  options: {
    json: { type: "boolean", default: false },
    rounds: { type: "string", default: "5" },
    only: { type: "string", default: "" },
  },
});
const rounds = Number(options.rounds);
const rows: (Measured | GrowthRow)[] = [];
for (const figure of FIGURES.filter(({ name }) => name.includes(options.only))) {
  const measured = await measure(figure, rounds);
  if (typeof measured === "string") {
    say(`${figure.name}: not measured: ${measured}`);
    continue;
  }
  rows.push(measured);
  if (!options.json) say(line(measured));
}
if ("growth".includes(options.only)) {
  const tell = options.json ? () => {} : say;
  tell("How cost grows: 10^3 -> 10^6 transactions, 10^2 -> 10^6 addresses, 1 -> 10^4 accounts");
  for await (const row of measureGrowth({ rounds, say: tell })) {
    rows.push(row);
    tell(growthLine(row));
  }
}
if (options.json) say(JSON.stringify(rows, null, 2));

function line(row: Measured): string {
  const { name, limit, unit, oursPerSecond, limitPerSecond, ratio, lowest, highest, p99Ms } = row;
  const rate = (value: number) => value.toFixed(0).padStart(7);
  const spread = `${lowest.toFixed(2)}-${highest.toFixed(2)}`;
  const slowest = p99Ms === null ? "" : `  p99 ${p99Ms.toFixed(1)} ms`;
  const goal = `must ${row.must}, beyond ${row.beyond}${row.isReached ? "" : "  NOT REACHED"}`;
  return `${name.padEnd(44)} ${rate(oursPerSecond)} of ${rate(limitPerSecond)} ${unit} (${limit})` +
    `  ratio ${ratio.toFixed(2)} [${spread}]${slowest}  ${goal}`;
}

function say(text: string): void {
  // deno-lint-ignore no-console -- the report of this program
  console.log(text);
}
