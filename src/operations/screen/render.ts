import { NO_SCREEN, padded, paragraph, wrapped } from "./screen.ts";
import type { Screen } from "../operation.ts";
import { tableIn } from "./table.ts";

interface Shown {
  /** Of a list. */
  readonly columns?: readonly string[] | undefined;
  readonly screen?: Screen;
}

/** One answer for people: a table for a list, "name: value" lines for one object. */
export function renderAnswer(
  value: unknown,
  { columns = [], screen = NO_SCREEN }: Shown = {},
): string {
  if (Array.isArray(value)) return renderTable(value, { columns, screen });
  return renderObject(value ?? {}, screen);
}

type Row = Readonly<Record<string, unknown>>;

/** Blocks of more rows than this are hard to compare. */
const BLOCKS_MAX = 5;
const COLUMNS_MIN = 3;

/** Where a table is too wide, few rows are blocks of lines, and many do without the last columns. */
function renderTable(
  rows: readonly Row[],
  { columns, screen }: { columns: readonly string[]; screen: Screen },
): string {
  if (rows.length === 0) return "Nothing found.\n";
  const titles = columns.map(titleOf);
  const lines = rows.map((row) => columns.map((column) => textOf(row[column])));
  const table = tableIn(screen, { titles, lines });
  if (table !== undefined) return table;
  const narrow = rows.length > BLOCKS_MAX ? narrowTable(screen, { titles, lines }) : undefined;
  return narrow ?? rows.map((row) => {
    const shown = Object.fromEntries(columns.map((column) => [column, row[column]]));
    return renderObject(shown, screen);
  }).join("\n");
}

function narrowTable(
  screen: Screen,
  { titles, lines }: { titles: readonly string[]; lines: readonly (readonly string[])[] },
): string | undefined {
  for (let kept = titles.length - 1; kept >= COLUMNS_MIN; kept--) {
    const left = lines.map((line) => line.slice(0, kept));
    const table = tableIn(screen, { titles: titles.slice(0, kept), lines: left });
    if (table === undefined) continue;
    const hidden = titles.slice(kept).join(", ");
    return table + paragraph(`A wider terminal, or --json, also shows: ${hidden}.`, screen);
  }
  return undefined;
}

function renderObject(row: object, { columns = Infinity }: Screen): string {
  const entries = Object.entries(row);
  const width = Math.max(...entries.map(([name]) => name.length)) + 1;
  const indent = `\n${" ".repeat(width + 1)}`;
  return entries.map(([name, value]) => {
    const lines = wrapped(textOf(value), columns - width - 1);
    return `${padded(`${titleOf(name)}:`, width)} ${lines.join(indent)}`.trimEnd() + "\n";
  }).join("");
}

/** Where a field's name alone would puzzle people. */
const TITLES: Readonly<Record<string, string>> = {
  may_push: "may bump",
  client_reference: "reference",
};

function titleOf(name: string): string {
  return TITLES[name] ?? name.replaceAll("_", " ");
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) {
    if (value.length === 0) return "-";
    return value.map(textOf).join(value.some((each) => Object(each) === each) ? "; " : ", ");
  }
  if (typeof value === "object") {
    return Object.entries(value).map(([name, each]) => `${titleOf(name)} ${textOf(each)}`)
      .join(", ");
  }
  return oneLine(String(value));
}

/** Foreign text must not move the cursor or forge a second line. */
export function oneLine(text: string): string {
  // deno-lint-ignore no-control-regex -- exactly these must not reach a terminal
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
}
