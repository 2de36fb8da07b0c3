import assert from "node:assert/strict";
import type { Db, SqlValue } from "../../../src/store/engine/db.ts";
import { lastProofs } from "../../../src/control/reads/last_words.ts";
import { makeDatabase } from "../databases.ts";

/** The plans of what it asks for, in one text. */
async function plansOf(ask: (db: Db) => Promise<unknown>): Promise<string> {
  await using database = await makeDatabase("an embedded file");
  const plans: string[] = [];
  const rows = async (table: { name: string }, tail: string, args: readonly SqlValue[] = []) => {
    const sql = `EXPLAIN QUERY PLAN SELECT * FROM ${table.name} ${tail}`;
    const explained = await database.client().execute({ sql, args: [...args] });
    plans.push(...explained.rows.map(({ detail }) => String(detail)));
    return [];
  };
  await ask({ rows } as unknown as Db);
  return plans.join("; ");
}

Deno.test("a login's codes are looked up among its own deeds, not among strangers' failures", async () => {
  const plans = await plansOf((db) => lastProofs(db, "user:1"));
  assert.match(plans, /USING INDEX audit_log_self /);
  assert.doesNotMatch(plans, /TEMP B-TREE/);
});
