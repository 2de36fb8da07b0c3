export interface CsvRow {
  /** Of its first character, counted from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** A quote that never ends would swallow everything after it. */
export class OpenQuote extends Error {
  override name = "OpenQuote";

  constructor(readonly line: number) {
    super(`The quote in line ${line} is not closed`);
  }
}

/** Rows of text separated by commas, semicolons or tabs, whichever comes first. Empty ones are left out. */
export function csvRows(text: string): CsvRow[] {
  const separator = /[,;\t]/.exec(text.replace(/"[^"]*"/g, ""))?.[0] ?? ",";
  const rows: CsvRow[] = [];
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  for (let line = 1; at < text.length;) {
    const row = readRow(text, { at, line, separator });
    if (row.cells.some((cell) => cell !== "")) rows.push({ line, cells: row.cells });
    ({ at, line } = row);
  }
  return rows;
}

interface Place {
  readonly at: number;
  readonly line: number;
}

function readRow(
  text: string,
  { at, line, separator }: Place & { separator: string },
): Place & { cells: string[] } {
  const cells: string[] = [];
  const cellOf = cellPattern(separator);
  for (;;) {
    cellOf.lastIndex = at;
    const [whole = "", quoted, plain = ""] = cellOf.exec(text) ?? [];
    if (quoted === undefined && plain.trimStart().startsWith('"')) throw new OpenQuote(line);
    cells.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"').trim());
    line += quoted?.match(/\n/g)?.length ?? 0;
    at += whole.length;
    if (text[at] !== separator) break;
    at++;
  }
  const [end = ""] = /^\r?\n?/.exec(text.slice(at, at + 2)) ?? [];
  return { cells, at: at + end.length, line: line + 1 };
}

/** A quoted cell, in which a quote is doubled, or the text up to the next separator. */
function cellPattern(separator: string): RegExp {
  const quoted = `[ ]*"((?:[^"]|"")*)"[ ]*(?=${separator}|\\r?\\n|$)`;
  return new RegExp(`${quoted}|([^\\r\\n${separator}]*)`, "y");
}
