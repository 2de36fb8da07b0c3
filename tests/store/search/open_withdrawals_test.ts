import assert from "node:assert/strict";
import type { Db } from "../../../src/store/engine/db.ts";
import { type WithdrawalRow, Withdrawals } from "../../../src/withdrawals/table.ts";
import { type TestDatabase, testOnBoth } from "../databases.ts";
import { makeWithdrawal, type Some } from "../reads/make_rows.ts";
import { idsFound, openWith, OTHER, OWN } from "./base.ts";

/** More than are looked at. */
const MANY = 1_100;
const STATUSES = ["pending", "broadcasted"] as const;
const RECIPIENT = `0xbeef${"5".repeat(36)}`;

function openPaying(
  database: TestDatabase,
  rows: readonly Some<WithdrawalRow>[],
): Promise<Db> {
  return openWith(database, (view) => {
    for (const row of rows) view.insertKeyed(Withdrawals, makeWithdrawal(row));
  });
}

/** So many open ones in each status, in turn. */
function manyOf(accountId: number): Some<WithdrawalRow>[] {
  return STATUSES.flatMap((status, nth) =>
    Array.from({ length: MANY }, (_, n) => {
      const id = 1 + 2 * n + nth;
      const clientReference = `Order-${id}.`;
      return { id, accountId, keyId: `k${accountId}`, status, clientReference };
    })
  );
}

const LAST = 2 * MANY;

testOnBoth("the newest open payouts are found, however many are open", async (database) => {
  const rows = manyOf(OWN).map((row) =>
    row.id > LAST - STATUSES.length ? { ...row, toAddress: RECIPIENT } : row
  );
  const db = await openPaying(database, rows);
  for (const accountId of [null, OWN]) {
    for (const text of ["0xbeef", "555555", RECIPIENT, "0xbeef…5555"]) {
      const { payouts } = await idsFound(db, { text, accountId });
      assert.deepEqual(payouts, [LAST, LAST - 1], `${accountId} ${text}`);
    }
    for (const id of [LAST, LAST - 1]) {
      const { payouts } = await idsFound(db, { text: `order-${id}`, accountId });
      assert.deepEqual(payouts, [id], String(accountId));
    }
  }
  assert.deepEqual((await idsFound(db, { text: "0xbeef", accountId: OTHER })).payouts, []);
});

testOnBoth("a payout's whole reference finds it, however many are open", async (database) => {
  const rows = manyOf(OWN).map((row) => ({ ...row, status: STATUSES[0] }));
  const db = await openPaying(database, rows);
  // Neither among the first nor among the last.
  const ids = [MANY, MANY + 1];
  for (const id of [...ids, 1, LAST]) {
    const text = `Order-${id}.`;
    for (const accountId of [null, OWN]) {
      assert.ok((await idsFound(db, { text, accountId })).payouts.includes(id), text);
    }
    assert.deepEqual((await idsFound(db, { text, accountId: OTHER })).payouts, []);
  }
});

testOnBoth("an account's old open payout is found behind its many newer ones", async (database) => {
  const old = { id: 1, accountId: OWN, keyId: "k2", status: "pending" as const };
  const newer = Array.from({ length: MANY }, (_, n) => {
    const id = 2 + n;
    return { id, accountId: OWN, keyId: "k2", status: "confirmed" as const };
  });
  const db = await openPaying(database, [{ ...old, toAddress: RECIPIENT }, ...newer]);
  for (const accountId of [null, OWN]) {
    assert.deepEqual((await idsFound(db, { text: "0xbeef", accountId })).payouts, [1]);
  }
});
