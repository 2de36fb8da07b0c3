import assert from "node:assert/strict";
import { countPageReads } from "../support/dashboard/page_reads.ts";

/**
 * More rows than a page looks through when no index serves its filter; a multiple of how many ids
 * share their first and last time.
 */
const FEW = 20 * 1_024;
/** Background work reads a few rows between two pages. */
const OTHERS_ROWS = 100;

Deno.test("no page reads more rows when there is twice as much of everything that grows", async () => {
  const reads = await countPageReads({ few: FEW, many: 2 * FEW });
  const more = reads.filter(({ few, many }) => many > 1.05 * few + OTHERS_ROWS);
  assert.deepEqual(more, []);
  assert.ok(reads.length > 100);
  assert.deepEqual(reads.filter(({ few }) => few === 0), [], "Each reads its session");
});
