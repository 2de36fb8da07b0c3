import assert from "node:assert/strict";
import type { Db, SqlValue } from "../../../src/store/engine/db.ts";
import { attemptsOfDelivery } from "../../../src/webhooks/reads/endpoints.ts";
import { deliveryPage } from "../../../src/webhooks/reads/deliveries.ts";
import { endpointPage } from "../../../src/webhooks/reads/endpoints.ts";
import { deliveriesOf, eventPage } from "../../../src/webhooks/reads/events.ts";
import { OLD_HOURS } from "../../../src/store/upkeep/housekeeping.ts";
import { makeDatabase } from "../databases.ts";

const ASKED = {
  accountId: null,
  endpointId: null,
  state: null,
  cursor: { eventId: 9, endpointId: 9 },
  limit: 5,
} as const;

/** Rows found by an index, rows derived from those, and ids that were passed in. */
const HARMLESS =
  /^(SEARCH |COMPOUND QUERY|LEFT-MOST SUBQUERY|UNION ALL|CO-ROUTINE |SCAN \((subquery|SUBQUERY)|SCAN json_each|SCAN k VIRTUAL TABLE|LIST SUBQUERY|CORRELATED SCALAR SUBQUERY)/;

for (
  const [what, ask] of [
    ["all webhooks", (db: Db) => endpointPage(db, { accountId: null, cursor: 9, limit: 5 })],
    ["an account's webhooks", (db: Db) => endpointPage(db, { accountId: 1, cursor: 9, limit: 5 })],
    ["all deliveries", (db: Db) => deliveryPage(db, ASKED)],
    ["those of a state", (db: Db) => deliveryPage(db, { ...ASKED, state: "dead" })],
    ["those of an account", (db: Db) => deliveryPage(db, { ...ASKED, accountId: 1 })],
    [
      "an account's of a state",
      (db: Db) => deliveryPage(db, { ...ASKED, accountId: 1, state: "dead" }),
    ],
    ["those to a webhook", (db: Db) => deliveryPage(db, { ...ASKED, endpointId: 1 })],
    [
      "a webhook's of a state",
      (db: Db) => deliveryPage(db, { ...ASKED, endpointId: 1, state: "dead" }),
    ],
    ["an account's events", (db: Db) => eventPage(db, { accountId: 1, cursor: 9, limit: 5 })],
    ["an event's deliveries", (db: Db) => deliveriesOf(db, { eventId: 1, limit: 5 })],
    [
      "attempts of a delivery",
      (db: Db) => attemptsOfDelivery(db, { eventId: 1, endpointId: 1 }),
    ],
  ] as const
) {
  Deno.test(`a page of ${what} is read in the order of an index, without sorting`, async () => {
    await using database = await makeDatabase("an embedded file");
    const asked: { sql: string; args: SqlValue[] }[] = [];
    const note = (sql: string, args: readonly SqlValue[] = []) => {
      asked.push({ sql, args: [...args] });
      return Promise.resolve(sql.includes("FROM webhook_endpoints") ? [{ id: 1 }, { id: 2 }] : []);
    };
    const rows = (table: { name: string }, tail: string, args: readonly SqlValue[] = []) =>
      note(`SELECT * FROM ${table.name} ${tail}`, args);
    await ask({ query: note, rows } as unknown as Db);
    assert.ok(asked.length > 0);
    for (const { sql, args } of asked) {
      const explained = await database.client().execute({ sql: `EXPLAIN QUERY PLAN ${sql}`, args });
      const plan = explained.rows.map(({ detail }) => String(detail));
      assert.ok(plan.some((step) => step.startsWith("SEARCH ")), sql);
      assert.deepEqual(plan.filter((step) => !HARMLESS.test(step)), [], sql);
    }
  });
}

Deno.test("hours that nobody looks at any more are found by an index", async () => {
  await using database = await makeDatabase("an embedded file");
  const statement = { sql: `EXPLAIN QUERY PLAN ${OLD_HOURS}`, args: [1, 1] };
  const { rows } = await database.client().execute(statement);
  const plan = rows.map(({ detail }) => String(detail)).join("; ");
  assert.match(plan, /SEARCH volumes USING PRIMARY KEY/);
  assert.match(plan, /SEARCH volumes USING COVERING INDEX volumes_hours \(starts_at_ms<\?\)/);
});
