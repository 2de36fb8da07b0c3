import assert from "node:assert/strict";
import { Accounts } from "../../../src/accounts/tables/accounts.ts";
import { invoiceCustomers, INVOICES_COUNTED_MAX } from "../../../src/customers/reads.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { makeDatabase } from "../databases.ts";
import { accountFields } from "./make_rows.ts";

type Invoice = readonly [accountId: number, customer: string | null, status?: string];

/** Their ids are 1, 2, … */
const INVOICES: readonly Invoice[] = [
  [1, "Cleo", "paid"],
  [2, "Ann"],
  [1, "Ann", "paid"],
  [1, null, "paid"],
  [1, "Cleo"],
  [1, "", "paid"],
  [1, "Änne", "expired"],
  [2, "Zoe", "paid"],
  [1, "ann"],
  ...Array.from({ length: INVOICES_COUNTED_MAX + 5 }, (): Invoice => [2, "Often", "paid"]),
];

async function fill(db: Db): Promise<void> {
  await db.write({
    reads: [],
    decide: (view) => {
      for (const id of [1, 2]) view.insertKeyed(Accounts, { ...accountFields(), id });
    },
  });
  const rows = INVOICES.map(([accountId, customer, status = "open"], i) => [
    ...[i + 1, accountId, customer, status, String(i + 1)],
  ]);
  await db.execute([{
    sql: `INSERT INTO invoices (id, account_id, key_id, token, amount, currency,
  tolerance_percent, methods, metadata, customer, status, expires_at_ms, created_at_ms)
SELECT value ->> 0, value ->> 1, 'k', 't' || (value ->> 0), value ->> 4, 'EUR', '0', '[]', '{}',
  value ->> 2, value ->> 3, 1, 1
FROM json_each(?)`,
    args: [JSON.stringify(rows)],
  }]);
}

Deno.test("every customer whom invoices name is listed once, by name, with the newest invoices", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = await database.open();
  await fill(db);
  const walk = async (accountId: number | null, limit: number) => {
    const names: string[] = [];
    for (let cursor: number | null = null;;) {
      const rows = await invoiceCustomers(db, { accountId, cursor, limit });
      names.push(...rows.map((row) => `${row.accountId} ${row.customer}`));
      if (rows.length < limit) return names;
      cursor = rows.at(-1)!.id;
    }
  };
  const first = ["1 ", "1 Ann", "1 Cleo", "1 ann", "1 Änne"];
  const second = ["2 Ann", "2 Often", "2 Zoe"];
  for (const limit of [1, 2, 3, 50]) {
    assert.deepEqual(await walk(1, limit), first);
    assert.deepEqual(await walk(2, limit), second);
    assert.deepEqual(await walk(null, limit), [...first, ...second]);
  }
  const [, , cleo] = await invoiceCustomers(db, { accountId: 1, cursor: null, limit: 9 });
  assert.deepEqual(cleo, {
    ...{ id: 1, accountId: 1, customer: "Cleo" },
    invoices: [
      { currency: "EUR", status: "open", amount: "5" },
      { currency: "EUR", status: "paid", amount: "1" },
    ],
  });
  const [often] = await invoiceCustomers(db, { accountId: 2, cursor: 2, limit: 1 });
  assert.equal(often!.invoices.length, INVOICES_COUNTED_MAX);
  assert.equal(often!.invoices[0]!.amount, String(INVOICES.length), "the newest come first");
});

Deno.test("another account's invoice is no place in a list of customers", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = await database.open();
  await fill(db);
  for (const cursor of [2, 8, 9_999]) {
    assert.deepEqual(await invoiceCustomers(db, { accountId: 1, cursor, limit: 9 }), []);
  }
});
