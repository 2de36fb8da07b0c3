import assert from "node:assert/strict";
import type { Random } from "../../domain/random.ts";
import type { ApiClient } from "../../support/api_client.ts";

// deno-lint-ignore no-explicit-any -- rows of any list
export type ListedRow = any;

export type Query = Readonly<Record<string, string>>;

function target(path: string, query: Query): string {
  return `${path}?${new URLSearchParams(query)}`;
}

/** All rows of a list, page by page. */
export async function walk(api: ApiClient, path: string, query: Query = {}): Promise<ListedRow[]> {
  const rows: ListedRow[] = [];
  const limit = Number(query.limit ?? 50);
  for (let cursor: number | null = null, pages = 0;; pages++) {
    assert.ok(pages < 1_000, "The list doesn't end");
    const more: Query = cursor === null ? {} : { cursor: String(cursor) };
    const { status, body } = await api.get(target(path, { ...query, ...more }));
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.data_count, body.data.length);
    assert.ok(body.data.length <= limit);
    assert.equal(body.has_more, body.next_cursor !== null);
    if (body.data.length === limit) assert.equal(body.next_cursor, idOf(body.data.at(-1)));
    rows.push(...body.data);
    if (body.next_cursor === null) break;
    assert.ok(cursor === null || body.next_cursor < cursor, "Cursors only go down");
    cursor = body.next_cursor;
  }
  const ids = rows.map(idOf);
  assert.deepEqual(ids, [...new Set(ids)].sort((a, b) => b - a), "Each row once, newest first");
  return rows;
}

function idOf(row: ListedRow): number {
  return row.id ?? row.request_id;
}

const CHOICES_MAX = 60;

/** Choices of filters, each of which may also be absent: all of them, or 60 by chance. */
export function choices(
  random: Random,
  filters: Readonly<Record<string, readonly string[]>>,
): Query[] {
  let all: Query[] = [{}];
  for (const [name, values] of Object.entries(filters)) {
    all = all.flatMap((one) => [one, ...values.map((value) => ({ ...one, [name]: value }))]);
  }
  while (all.length > CHOICES_MAX) all.splice(random.below(all.length), 1);
  return all;
}
