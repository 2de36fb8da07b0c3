import { last } from "../base/lists.ts";
import type { Db } from "../store/engine/db.ts";
import { readAll } from "../store/engine/workspace.ts";
import { primaryKeyOf, rowsAfter } from "../store/reads/sealed.ts";
import { type AnyRow, type RowValue, sealRead, type Table } from "../store/tables/table.ts";

const PAGE_ROWS = 500;

/** Seals the rows that have no seal yet, as they are; how many. */
export async function sealTable(
  { db }: { db: Db },
  table: Table<AnyRow>,
  report: (rows: number) => void,
): Promise<number> {
  let rows = 0;
  let after: RowValue[] | undefined;
  for (;;) {
    const page = await rowsAfter(db, table, { after, limit: PAGE_ROWS });
    const keys = page.filter((row) => sealRead(row) === null).map((row) =>
      primaryKeyOf(table, row)
    );
    await db.write({
      reads: readAll(table, keys),
      decide: (view) => {
        for (const key of keys) {
          const row = view.raw.find(table, key);
          if (!row || sealRead(row) !== null) continue;
          view.atOnce("once, for rows from before seals").accept(table, row);
        }
      },
    });
    rows += keys.length;
    report(rows);
    if (page.length < PAGE_ROWS) return rows;
    after = primaryKeyOf(table, last(page));
  }
}
