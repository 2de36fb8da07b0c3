import assert from "node:assert/strict";
import { selectByFields } from "../../../src/store/engine/statements.ts";
import { Alerts } from "../../../src/alerts/table.ts";
import { rowsFromJson, type RowValue } from "../../../src/store/tables/table.ts";
import { testOnBoth } from "../databases.ts";

const FIELDS = ["kind", "subject", "createdAtMs"];
const SETS = ["a", "b"].flatMap((kind) =>
  ['1"', "2"].flatMap((subject) => [1, 2].map((atMs): RowValue[] => [kind, subject, atMs]))
);
const SUBSETS = Array.from(
  { length: 2 ** SETS.length - 1 },
  (_, chosen) => SETS.filter((_, i) => (chosen + 1) >> i & 1),
);

testOnBoth("a look-up finds exactly the rows asked for, whatever they share", async (database) => {
  const connection = await database.connect();
  const sql = "INSERT INTO alerts (kind, subject, message, created_at_ms) VALUES (?, ?, '', ?)";
  const inserts = SETS.map(([kind, subject, atMs]) => ({
    sql,
    args: [kind!, subject!, BigInt(atMs!)],
  }));
  await connection.batch(inserts, "write");
  const selects = SUBSETS.map((values) => selectByFields(Alerts, { fields: FIELDS, values }));
  const answers = await connection.batch(selects, "read");
  SUBSETS.forEach((values, i) => {
    const rows = rowsFromJson(Alerts, answers[i]!.rows[0]!.rows);
    const found = rows.map(({ kind, subject, createdAtMs }) => [kind, subject, createdAtMs]);
    assert.deepEqual(found.toSorted(), values.toSorted());
  });
});
