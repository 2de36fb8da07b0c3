import assert from "node:assert/strict";
import type { Db, SqlValue } from "../../../src/store/engine/db.ts";
import { sweepList } from "../../../src/store/reads/pages/sweeps.ts";
import { makeDatabase } from "../databases.ts";
import { SWEEPS } from "../plans/operator_examples.ts";

for (
  const [what, change, index] of [
    ["an account's sweeps", { accountId: 1 }, "sweeps_account"],
    ["an account's of a state", { accountId: 1, state: "parked" }, "sweeps_account_state"],
    ["sweeps of a state", { state: "parked" }, "sweeps_state"],
  ] as const
) {
  Deno.test(`a page of ${what} is read in the order of its index`, async () => {
    await using database = await makeDatabase("an embedded file");
    const plans: string[] = [];
    const rows = async (table: { name: string }, tail: string, args: readonly SqlValue[] = []) => {
      const sql = `EXPLAIN QUERY PLAN SELECT * FROM ${table.name} ${tail}`;
      const explained = await database.client().execute({ sql, args: [...args] });
      plans.push(...explained.rows.map(({ detail }) => String(detail)));
      return [];
    };
    await sweepList({ rows } as unknown as Db, { ...SWEEPS, ...change });
    assert.match(plans.join("; "), new RegExp(`USING INDEX ${index} `));
    assert.doesNotMatch(plans.join("; "), /TEMP B-TREE/);
  });
}
