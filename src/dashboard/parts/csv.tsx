import { genuine } from "../../actions/books/tampered.ts";
import type { AnyRow, Table } from "../../store/tables/table.ts";
import { utf8 } from "../../base/bytes.ts";
import { csvCell } from "../../base/csv.ts";
import type { Component } from "../../base/html.ts";
import { streamed } from "../../base/net/streamed.ts";
import type { RawRoute } from "../routes.ts";
import { BASE, type Visit } from "../visit.ts";

export type CsvColumn<Row> = readonly [name: string, value: (row: Row) => unknown];

interface CsvList<Query, Row> {
  /** The list with the same rows. */
  readonly path: string;
  readonly columns: readonly CsvColumn<Row>[];
  /** Parses the query like the list does. */
  wanted(visit: Visit): Promise<Query & { readonly cursor: number | null }>;
  read(
    visit: Visit,
    query: Query & { readonly cursor: number | null; readonly limit: number },
  ): Promise<{ readonly rows: readonly Row[]; readonly next: number | null }>;
}

/** A file outlives the look at it, so it has no row that somebody else wrote. */
export async function genuinePage<Row extends AnyRow>(
  deps: Visit["deps"],
  table: Table<Row>,
  { rows, next }: { readonly rows: readonly Row[]; readonly next: number | null },
): Promise<{ readonly rows: readonly Row[]; readonly next: number | null }> {
  return { rows: await genuine(deps, table, rows), next };
}

const ROWS_AT_ONCE = 200;
const FILE = "export.csv";

/** All rows of a list as a file. */
export function csvRoute<Query, Row>(list: CsvList<Query, Row>): RawRoute {
  return {
    kind: "raw",
    path: `${list.path}/${FILE}`,
    respond: async (visit) => {
      const lines = csvLines(list, { visit, query: await list.wanted(visit) });
      return streamed(ReadableStream.from(lines), {
        headers: {
          "content-type": "text/csv; charset=utf-8",
          "content-disposition": `attachment; filename="${list.path.slice(1)}.csv"`,
        },
      });
    },
  };
}

/** Reads more rows once the client has taken the previous ones. */
async function* csvLines<Query, Row>(
  { columns, read }: CsvList<Query, Row>,
  { visit, query }: { visit: Visit; query: Query & { readonly cursor: number | null } },
): AsyncGenerator<Uint8Array> {
  yield utf8(`${columns.map(([name]) => name).join(",")}\r\n`);
  for (let cursor = query.cursor;;) {
    const page = { ...query, cursor, limit: ROWS_AT_ONCE };
    const { rows, next } = await visit.deps.memory.pageTurns.run(() => read(visit, page));
    const lines = rows.map((row) => columns.map(([, value]) => csvCell(value(row))).join(","));
    if (lines.length > 0) yield utf8(`${lines.join("\r\n")}\r\n`);
    if (next === null) return;
    cursor = next;
  }
}

/** Exports the list from its first row on. */
export const ExportLink: Component<{ visit: Visit; path: string; direction?: string }> = (
  { visit, path, direction },
) => {
  const query = new URLSearchParams(visit.query);
  query.delete("cursor");
  if (direction !== undefined) query.set("direction", direction);
  const text = query.toString();
  const href = `${BASE}${path}/${FILE}${text === "" ? "" : `?${text}`}`;
  return <a class="button plain" href={href} download>Export as CSV</a>;
};
