import assert from "node:assert/strict";
import { dashboardFetch } from "../support/dashboard/dashboard.ts";

/** A filter of a list, and the rows that it leaves. */
export interface FilterCase<Row> {
  readonly query: Readonly<Record<string, string>>;
  holds(row: Row): boolean;
}

interface List<Row> {
  readonly url: string;
  readonly path: string;
  /** The table's caption. */
  readonly caption: string;
  readonly token: string;
  /** All rows that the visitor may see, newest first. */
  readonly rows: readonly Row[];
  /** The text of the row's last cell, or of its first one. */
  nameOf(row: Row): string;
  readonly isNameFirst?: boolean;
  readonly exportPath?: string;
}

const ROWS_OF_A_PAGE = 20;

/**
 * Each filter and each pair of filters leaves the same rows on the page and in the export, and each
 * filter does so oldest first, too.
 */
export async function assertFilters<Row>(
  list: List<Row>,
  cases: readonly FilterCase<Row>[],
): Promise<{ tried: number; empty: number }> {
  const [nothing, ...asked] = [{ query: {}, holds: () => true }, ...cases];
  const both = asked.flatMap((one, i) => asked.slice(i + 1).map((other) => [one, other]));
  const together = both.filter(([one, other]) =>
    Object.keys(one!.query).every((name) => !(name in other!.query))
  );
  const all = [[nothing!], ...asked.map((one) => [one]), ...together];
  const turned = { query: { order: "oldest" }, holds: () => true };
  let empty = 0;
  for (const filters of [...all, [turned], ...asked.map((one) => [turned, one])]) {
    const isTurned = filters[0] === turned;
    const query = new URLSearchParams(Object.assign({}, ...filters.map((one) => one!.query)));
    const left = list.rows.filter((row) => filters.every((one) => one!.holds(row)));
    const expected = (isTurned ? left.toReversed() : left).map(list.nameOf);
    if (expected.length === 0) empty++;
    const shown = namesIn(await textOf(list, `${list.path}?${query}`), list);
    assert.deepEqual(shown, expected.slice(0, ROWS_OF_A_PAGE), `${list.path}?${query}`);
    if (list.exportPath === undefined) continue;
    const lines = (await textOf(list, `${list.exportPath}?${query}`)).trimEnd().split("\r\n");
    const ids = lines.slice(1).map((line) => line.split(",")[0]);
    assert.deepEqual(ids, expected, `${list.exportPath}?${query}`);
  }
  return { tried: all.length, empty };
}

async function textOf(
  { url, token }: { url: string; token: string },
  path: string,
): Promise<string> {
  const answer = await dashboardFetch(url, { path, token });
  const text = await answer.text();
  assert.equal(answer.status, 200, `${path}: ${text}`);
  return text;
}

/** One cell of each row of the table with this caption; none if there is no such table. */
function namesIn(
  html: string,
  { caption, isNameFirst = false }: { caption: string; isNameFirst?: boolean },
): string[] {
  const table = new RegExp(`>${caption}</caption>[^]*?<tbody>([^]*?)</tbody>`);
  return (table.exec(html)?.[1] ?? "").split("<tr>").slice(1).map((row) => {
    const cells = [...row.matchAll(/<td[^>]*>([^]*?)<\/td>/g)];
    const cell = cells.at(isNameFirst ? 0 : -1)?.[1] ?? "";
    return cell.replace(/<[^>]*>/g, "").trim();
  });
}
