import assert from "node:assert/strict";
import { alertList } from "../../src/store/alert_reads.ts";
import { surplusAlerts, usersOf } from "../../src/store/deposit_page_reads.ts";
import type { Db, SqlValue } from "../../src/store/db.ts";
import {
  moneyOf,
  sweepList,
  transactionsOfSweep,
  transfersOfSweep,
} from "../../src/store/sweep_page_reads.ts";
import * as walletReads from "../../src/store/wallet_reads.ts";
import { makeDatabase } from "./databases.ts";
import { makeSweep, makeTransaction } from "./make_rows.ts";

const SENDERS = { network: "ETH", senders: ["0xH", "0xG"] };
const ALERTS = { isOpen: true, kind: null, cursor: 9, limit: 5 };
const SWEEPS = {
  ...{ accountId: null, state: null, network: null, currency: null, addressIds: null },
  ...{ cursor: 9, limit: 5 },
};

const READS: readonly (readonly [what: string, (db: Db) => Promise<unknown>])[] = [
  ["all sweeps", (db) => sweepList(db, SWEEPS)],
  ["an account's sweeps", (db) => sweepList(db, { ...SWEEPS, accountId: 1 })],
  ["sweeps of a state", (db) => sweepList(db, { ...SWEEPS, state: "parked" })],
  ["an account's of a state", (db) => sweepList(db, { ...SWEEPS, accountId: 1, state: "parked" })],
  ["sweeps of a network", (db) => sweepList(db, { ...SWEEPS, network: "ETH" })],
  ["sweeps of an address", (db) => sweepList(db, { ...SWEEPS, accountId: 1, addressIds: [1] })],
  ["what sweeps move", (db) => moneyOf(db, [makeSweep({ id: 1 })])],
  ["transactions of a sweep", (db) => transactionsOfSweep(db, { sweepId: 1, limit: 5 })],
  ["what a sweep signed", (db) => transfersOfSweep(db, 1)],
  ["wallets", (db) => walletReads.someWallets(db, 5)],
  ["unsigned payouts", (db) => walletReads.unsignedPayouts(db, { network: "ETH", limit: 5 })],
  ["unmined transfers", (db) => walletReads.unminedOf(db, { ...SENDERS, limit: 5 })],
  ["last payments", (db) => walletReads.lastPaymentsOf(db, SENDERS)],
  ["users of deposits", (db) => usersOf(db, [makeTransaction({ id: 1, addressId: 1 })])],
  ["alerts of surplus", (db) => surplusAlerts(db, 5)],
  ["open alerts", (db) => alertList(db, ALERTS)],
  ["open alerts of a kind", (db) => alertList(db, { ...ALERTS, kind: "sweep_parked" })],
  ["all alerts", (db) => alertList(db, { ...ALERTS, isOpen: false })],
];

/** Of a whole table; small sets that a statement makes itself may be walked. */
const isScan = (step: string) =>
  /^SCAN /.test(step) && !/^SCAN (json_each|k|w|d|CONSTANT|\(subquery)/.test(step);

for (const [what, ask] of READS) {
  Deno.test(`reading ${what} goes through an index`, async () => {
    await using database = await makeDatabase("an embedded file");
    const asked: { sql: string; args: SqlValue[] }[] = [];
    const note = (sql: string, args: readonly SqlValue[] = []) => {
      asked.push({ sql, args: [...args] });
      return Promise.resolve([]);
    };
    const rows = (table: { name: string }, tail: string, args: readonly SqlValue[] = []) =>
      note(`SELECT * FROM ${table.name} ${tail}`, args);
    await ask({ query: note, rows } as unknown as Db);
    assert.ok(asked.length > 0);
    for (const { sql, args } of asked) {
      const explained = await database.client().execute({ sql: `EXPLAIN QUERY PLAN ${sql}`, args });
      const plan = explained.rows.map(({ detail }) => String(detail));
      assert.deepEqual(plan.filter(isScan), [], `${sql}\n${plan.join("\n")}`);
    }
  });
}

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
