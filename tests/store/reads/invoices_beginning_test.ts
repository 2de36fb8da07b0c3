import assert from "node:assert/strict";
import { Accounts } from "../../../src/accounts/tables/accounts.ts";
import { INVOICES } from "../../../src/invoices/lists/invoices.ts";
import { pageOf, type Values } from "../../../src/operations/lists/list.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { makeDatabase } from "../databases.ts";
import { listDeps } from "./list_deps.ts";
import { accountFields } from "./make_rows.ts";

const MANY = 1_200;
const FIRST_RARE = 500;

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
  const deps = listDeps(db, { networks: [], coins: [] });
  const idsOf = async (
    values: Values,
    { accountId = 1, ...page }: Partial<Parameters<typeof pageOf>[2]> = {},
  ) => {
    const asked = { accountId, values, cursor: null, limit: 40, ...page };
    const { rows, next } = await pageOf(deps, INVOICES, asked);
    return { ids: rows.map(({ id }) => id), next };
  };
  const rare = [MANY + 3, FIRST_RARE + 2, FIRST_RARE + 1, FIRST_RARE];
  assert.deepEqual(await idsOf({ beginning: "rare_" }), { ids: rare, next: null });
  assert.deepEqual(await idsOf({ beginning: "RARE_", status: "paid" }), {
    ids: [MANY + 3],
    next: null,
  });
  assert.deepEqual((await idsOf({ beginning: "rare_" }, { accountId: null })).ids, [
    ...rare.slice(0, 1),
    MANY + 1,
    ...rare.slice(1),
  ]);
  assert.deepEqual(await idsOf({ beginning: "rare_" }, { limit: 2 }), {
    ids: rare.slice(0, 2),
    next: rare[1],
  });
  assert.deepEqual(await idsOf({ beginning: "rare_" }, { cursor: rare[1]! }), {
    ids: rare.slice(2),
    next: null,
  });
  assert.deepEqual(
    (await idsOf({ beginning: "rare_" }, { after: FIRST_RARE })).ids,
    rare.slice(0, 3),
  );
  assert.deepEqual((await idsOf({ beginning: "rare_", until: FIRST_RARE + 1 })).ids, [FIRST_RARE]);
  assert.deepEqual((await idsOf({ beginning: "rare" }, { accountId: 2 })).ids, [MANY + 1]);
  assert.deepEqual((await idsOf({ beginning: "Rarer" })).ids, []);

  const newest = Array.from({ length: 40 }, (_, i) => MANY - i);
  for (const accountId of [1, null]) {
    assert.deepEqual(await idsOf({ beginning: "ORDER" }, { accountId }), {
      ids: newest,
      next: newest.at(-1),
    });
    const { ids } = await idsOf({ beginning: "order-" }, { accountId, cursor: 3 });
    assert.deepEqual(ids, [2, 1]);
  }
  // A program asks for one of its own references, to the letter.
  for (const accountId of [1, null]) {
    assert.deepEqual((await idsOf({ reference: "rare_500" }, { accountId })).ids, []);
    assert.deepEqual((await idsOf({ reference: "Rare_500" }, { accountId })).ids, [FIRST_RARE]);
  }
});
