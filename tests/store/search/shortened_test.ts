import assert from "node:assert/strict";
import type { Db } from "../../../src/store/engine/db.ts";
import { Transactions } from "../../../src/deposits/tables/transactions.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { type TestDatabase, testOnBoth } from "../databases.ts";
import { makeTransaction, makeWithdrawal } from "../reads/make_rows.ts";
import { idsFound, LIMIT, openWith, OTHER, OWN } from "./base.ts";

/** More than are looked at. */
const MANY = 1_100;
const FEW = 10;
const ONE = `0x1234567890${"a".repeat(26)}abcd`;
const LATER = `0x1234ffff${"b".repeat(28)}abcd`;

interface Paid {
  readonly accountId: number;
  readonly count: number;
  readonly address: string;
}

/** Deposits from these addresses and payouts to them, numbered from 1. */
function openPaid(database: TestDatabase, paid: readonly Paid[]): Promise<Db> {
  const rows = paid.flatMap(({ count, ...row }) => Array.from({ length: count }, () => row));
  return openWith(database, (view) => {
    for (const [n, { accountId, address }] of rows.entries()) {
      const row = { id: n + 1, accountId, keyId: `k${accountId}`, status: "confirmed" as const };
      view.insertKeyed(Transactions, makeTransaction({ ...row, fromAddress: address }));
      view.insertKeyed(Withdrawals, makeWithdrawal({ ...row, toAddress: address }));
    }
  });
}

async function assertOwn(db: Db, text: string, ids: number[]): Promise<void> {
  const found = await idsFound(db, { text, accountId: OWN });
  assert.deepEqual(found, { payments: ids, payouts: ids }, text);
}

function down(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, n) => from - n);
}

const PARTS = ["0x1234…abcd", "0x1234567890", "1234567890aa", "0x1234", ONE.slice(0, 16), ONE];

testOnBoth("a part of an address finds one's own, however many others have", async (database) => {
  const db = await openPaid(database, [
    { accountId: OTHER, count: MANY, address: ONE },
    { accountId: OWN, count: FEW, address: ONE },
  ]);
  for (const text of [...PARTS, "aaabcd", "aaaaaabcd"]) {
    await assertOwn(db, text, down(MANY + FEW, FEW));
  }
  for (const text of ["0x1235", "0x1234…abce"]) await assertOwn(db, text, []);
});

testOnBoth("one's newest are found, and all of one's own addresses", async (database) => {
  const db = await openPaid(database, [
    { accountId: OWN, count: MANY, address: ONE },
    { accountId: OWN, count: FEW, address: LATER },
  ]);
  for (const text of ["0x1234567890", ONE, "0x123456…abcd", "aaabcd"]) {
    await assertOwn(db, text, down(MANY, LIMIT));
  }
  for (const text of ["0x1234…abcd", "0x1234"]) await assertOwn(db, text, down(MANY + FEW, LIMIT));
});
