import { at } from "../base/lists.ts";

/** One answer for people: a table for a list, "name: value" lines for one object. */
export function renderAnswer(value: unknown, columns: readonly string[] = []): string {
  if (Array.isArray(value)) return renderTable(value, columns);
  return renderObject(value ?? {});
}

type Row = Readonly<Record<string, unknown>>;

const GAP = "  ";

function renderTable(rows: readonly Row[], columns: readonly string[]): string {
  if (rows.length === 0) return "None.\n";
  const cells = [
    columns.map((column) => titleOf(column).toUpperCase()),
    ...rows.map((row) => columns.map((column) => textOf(row[column]))),
  ];
  const widths = columns.map((_, i) => Math.max(...cells.map((line) => at(line, i).length)));
  const lines = cells.map((line) =>
    line.map((cell, i) => cell.padEnd(at(widths, i))).join(GAP).trimEnd()
  );
  return lines.join("\n") + "\n";
}

function renderObject(row: object): string {
  const entries = Object.entries(row);
  const width = Math.max(...entries.map(([name]) => name.length)) + 1;
  return entries.map(([name, value]) =>
    `${`${titleOf(name)}:`.padEnd(width)} ${textOf(value)}`.trimEnd() + "\n"
  ).join("");
}

function titleOf(name: string): string {
  return name.replaceAll("_", " ");
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
