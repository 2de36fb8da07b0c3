import { createClient } from "@libsql/client/sqlite3";

const SPAN_MS = 6.8 * 86_400_000;

/** Payments in the window of the weekly limit, evenly spread, as its meter has counted them. */
export async function countPayments(url: string, payments: number): Promise<void> {
  const client = createClient({ url, concurrency: 1 });
  const startMs = Math.floor(Date.now() - SPAN_MS);
  const stepMs = Math.floor(SPAN_MS / payments) - 1;
  const meter = "SELECT meter_id FROM policies WHERE condition = 'max_week'";
  const at = (n: string) => `${startMs} + ${n} * ${stepMs}`;
  try {
    await client.execute(`INSERT INTO policy_meters (meter_id, split, added, added_count, removed,
  removed_count, revision, last_mark_ms)
SELECT (${meter}), '', '${payments}', ${payments}, '0', 0, 0, ${at(String(payments))}`);
    await client.execute(`WITH RECURSIVE counted (n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${payments}
)
INSERT INTO policy_marks (meter_id, split, at_ms, added, added_count, previous_at_ms)
SELECT (${meter}), '', ${at("n")}, n - 1, n - 1, CASE n WHEN 1 THEN -1 ELSE ${at("(n - 1)")} END
FROM counted`);
  } finally {
    client.close();
  }
}
