import assert from "node:assert/strict";
import type { Db } from "../../../src/store/engine/db.ts";
import { InvoiceAmounts } from "../../../src/store/reads/lists/amounts.ts";
import { IdSpans } from "../../../src/store/reads/lists/id_spans.ts";
import { invoicesIn } from "../../../src/store/reads/lists/invoices.ts";
import { invoicesBeginning } from "../../../src/store/reads/lists/invoices_beginning.ts";
import { Accounts } from "../../../src/store/tables/setup.ts";
import { makeDatabase } from "../databases.ts";
import { accountFields } from "./make_rows.ts";

const MANY = 1_200;
const FIRST_RARE = 500;
const NONE = { status: null, customer: null, fromMs: null, untilMs: null, cursor: null };
const ASKED = { ...NONE, spans: new IdSpans(), span: undefined, limit: 40 };

interface Invoice {
  readonly id: number;
  readonly accountId: number;
  readonly reference: string | null;
  readonly status?: string;
}

async function fill(db: Db, invoices: readonly Invoice[]): Promise<void> {
  await db.write({
    reads: [],
    decide: (view) => {
      for (const id of [1, 2]) view.insertKeyed(Accounts, { ...accountFields(), id });
    },
  });
  const rows = invoices.map((
    { id, accountId, reference, status = "open" },
  ) => [id, accountId, reference, status]);
  await db.execute([{
    sql: `INSERT INTO invoices (id, account_id, key_id, token, amount, currency,
  tolerance_percent, methods, metadata, reference, status, expires_at_ms, created_at_ms)
SELECT value ->> 0, value ->> 1, 'k', 't' || (value ->> 0), '1', 'EUR', '0', '[]', '{}',
  value ->> 2, value ->> 3, 1, value ->> 0
FROM json_each(?)`,
    args: [JSON.stringify(rows)],
  }]);
}

Deno.test("invoices are found by how their references begin, few or many, newest first, of one account or all", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = await database.open();
  const often = Array.from({ length: MANY }, (_, i) => {
    const id = i + 1;
    const isRare = id >= FIRST_RARE && id < FIRST_RARE + 3;
    return { id, accountId: 1, reference: isRare ? `Rare_${id}` : `order-${id}` };
  });
  const others: Invoice[] = [
    { id: MANY + 1, accountId: 2, reference: "RARE_2" },
    { id: MANY + 2, accountId: 1, reference: null },
    { id: MANY + 3, accountId: 1, reference: "Rare_paid", status: "paid" },
  ];
  await fill(db, [...often, ...others]);
  const idsOf = async (
    reference: string,
    more: Partial<Parameters<typeof invoicesBeginning>[2]> = {},
  ) => {
    const asked = { ...ASKED, accountId: 1, ...more, reference };
    const { rows, next } = await invoicesBeginning(db, InvoiceAmounts, asked);
    return { ids: rows.map(({ id }) => id), next };
  };
  const rare = [MANY + 3, FIRST_RARE + 2, FIRST_RARE + 1, FIRST_RARE];
  assert.deepEqual(await idsOf("rare_"), { ids: rare, next: null });
  assert.deepEqual(await idsOf("RARE_", { status: "paid" }), { ids: [MANY + 3], next: null });
  assert.deepEqual((await idsOf("rare_", { accountId: null })).ids, [
    ...rare.slice(0, 1),
    MANY + 1,
    ...rare.slice(1),
  ]);
  assert.deepEqual(await idsOf("rare_", { limit: 2 }), { ids: rare.slice(0, 2), next: rare[1] });
  assert.deepEqual(await idsOf("rare_", { cursor: rare[1]! }), { ids: rare.slice(2), next: null });
  assert.deepEqual((await idsOf("rare_", { after: FIRST_RARE })).ids, rare.slice(0, 3));
  assert.deepEqual((await idsOf("rare_", { untilMs: FIRST_RARE + 1 })).ids, [FIRST_RARE]);
  assert.deepEqual((await idsOf("rare", { accountId: 2 })).ids, [MANY + 1]);
  assert.deepEqual((await idsOf("Rarer")).ids, []);

  const newest = Array.from({ length: 40 }, (_, i) => MANY - i);
  for (const accountId of [1, null]) {
    assert.deepEqual(await idsOf("ORDER", { accountId }), { ids: newest, next: newest.at(-1) });
    const { ids } = await idsOf("order-", { accountId, cursor: 3 });
    assert.deepEqual(ids, [2, 1]);
  }
  // A program asks for one of its own references, to the letter.
  const exact = { ...ASKED, accountId: 1, reference: "rare_500" };
  assert.deepEqual((await invoicesIn(db, InvoiceAmounts, exact)).rows, []);
  const { rows } = await invoicesIn(db, InvoiceAmounts, { ...exact, reference: "Rare_500" });
  assert.deepEqual(rows.map(({ id }) => id), [FIRST_RARE]);
});
