import { utf8 } from "../../base/bytes.ts";
import { csvCell } from "../../base/csv.ts";
import type { Component } from "../../base/html.ts";
import type { Place } from "../../base/waiting/shares.ts";
import type { Ability } from "../../access/rules/roles.ts";
import type { RawRoute } from "../routes.ts";
import { BASE, type Visit } from "../visit.ts";

export type CsvColumn<Row> = readonly [name: string, value: (row: Row) => unknown];

interface CsvList<Query, Row> {
  /** The list with the same rows. */
  readonly path: string;
  readonly ability: Ability;
  readonly columns: readonly CsvColumn<Row>[];
  /** Read together, between two looks at what else has come. */
  readonly rowsAtOnce?: number;
  /** Parses the query like the list does. */
  wanted(visit: Visit): Promise<Query & { readonly cursor: number | null }>;
  read(
    visit: Visit,
    query: Query & { readonly cursor: number | null; readonly limit: number },
  ): Promise<{ readonly rows: readonly Row[]; readonly next: number | null }>;
}

const ROWS_AT_ONCE = 200;
const FILE = "export.csv";

/** All rows of a list as a file. */
export function csvRoute<Query, Row>(list: CsvList<Query, Row>): RawRoute {
  return {
    kind: "raw",
    path: `${list.path}/${FILE}`,
    ability: list.ability,
    respond: async (visit) => {
      const query = await list.wanted(visit);
      return {
        name: list.path.slice(1),
        lines: (place) => csvLines(list, { visit, query, place }),
      };
    },
  };
}

/** Reads more rows once the client has taken the previous ones. */
async function* csvLines<Query, Row>(
  { columns, read, rowsAtOnce = ROWS_AT_ONCE }: CsvList<Query, Row>,
  { visit, query, place }: {
    visit: Visit;
    query: Query & { readonly cursor: number | null };
    place: Pick<Place, "turn">;
  },
): AsyncGenerator<Uint8Array> {
  const lineOf = (row: Row) => `${columns.map(([, value]) => csvCell(value(row))).join(",")}\r\n`;
  yield utf8(`${columns.map(([name]) => name).join(",")}\r\n`);
  for (let cursor = query.cursor;;) {
    const page = { ...query, cursor, limit: rowsAtOnce };
    const { lines, next }: { lines: string; next: number | null } = await place.turn(async () => {
      const { rows, next } = await read(visit, page);
      return { lines: rows.map(lineOf).join(""), next };
    });
    if (lines !== "") yield utf8(lines);
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
