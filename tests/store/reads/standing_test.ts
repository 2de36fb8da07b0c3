import assert from "node:assert/strict";
import { Transactions } from "../../../src/deposits/tables/transactions.ts";
import {
  confirmableDeposits,
  FIRST_DEPOSIT,
  orphanedDeposits,
} from "../../../src/following/reads.ts";
import { NetworkBlocks, NetworkCursors } from "../../../src/following/table.ts";
import { bookedAddresses } from "../../../src/reconcile/reads.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { standingOf } from "../../../src/store/reads/standing.ts";
import { Accounts, ReceivingWallets } from "../../../src/accounts/tables/accounts.ts";
import { Currencies, Networks } from "../../../src/networks/table.ts";
import { ApiKeys } from "../../../src/access/tables/keys.ts";
import type { AnyRow, Table } from "../../../src/store/tables/table.ts";
import { unsweptDeposits } from "../../../src/sweeps/reads/sweeps.ts";
import { Sweeps } from "../../../src/sweeps/table.ts";
import { SignedTransactions } from "../../../src/transfers/table.ts";
import { hotWalletOf } from "../../../src/wallets/reads/addresses.ts";
import { Addresses } from "../../../src/wallets/tables/addresses.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { makeDatabase, testOnBoth } from "../databases.ts";
import { planOf } from "../plans/explain.ts";
import { recordStatements } from "../plans/record.ts";
import * as make from "./make_rows.ts";

const NETWORK = make.makeNetwork("ETH", "0xabc");
const CURSOR = {
  ...make.makeCursor({ network: "ETH", finalizedHeight: 90, haltedReason: null }),
  refusedGas: null,
};
const NOW_MS = make.NOW_MS;
/** The lowest depth that confirms, counted from the block that was read last. */
const DEEP = CURSOR.scanHeight - NETWORK.minConfirmations + 1;

type Row = readonly [table: Table<AnyRow>, row: AnyRow];
const rowOf = <T extends AnyRow>(table: Table<T>, row: T): Row => [table as Table<AnyRow>, row];

const DEPOSIT = {
  direction: "deposit",
  status: "swept",
  network: "ETH",
  live: 1,
  blockHash: "0xB",
  blockNumber: 5,
  addressId: 1,
  depositRequestId: null,
  withdrawalId: null,
  sweepId: 1,
} as const;

const deposit = (change: Partial<Parameters<typeof make.makeTransaction>[0]>) =>
  rowOf(Transactions, make.makeTransaction({ id: 9, ...DEPOSIT, ...change }));
const withdrawal = (change: Partial<Parameters<typeof make.makeWithdrawal>[0]>) =>
  rowOf(Withdrawals, make.makeWithdrawal({ id: 9, ...change }));
const signed = (change: Partial<Parameters<typeof make.makeSigned>[0]>) =>
  rowOf(SignedTransactions, make.makeSigned({ id: 9, ...change }));
const sweep = (change: Partial<Parameters<typeof make.makeSweep>[0]>) =>
  rowOf(Sweeps, make.makeSweep({ id: 9, open: null, ...change }));

/** Rows that a round would take, and rows that miss it narrowly. */
const CASES: readonly { name: string; row: Row; isDue: boolean }[] = [
  {
    name: "a deposit that is deep enough",
    row: deposit({ status: "detected", blockNumber: DEEP }),
    isDue: true,
  },
  {
    name: "a deposit that needs one more block",
    row: deposit({ status: "detected", blockNumber: DEEP + 1 }),
    isDue: false,
  },
  {
    name: "a deposit in no block",
    row: deposit({ status: "detected", blockHash: null }),
    isDue: true,
  },
  {
    name: "a deposit that was in no block yet",
    row: deposit({ status: "detected", blockNumber: 0, blockHash: null }),
    isDue: false,
  },
  {
    name: "a deposit that may be credited now",
    row: deposit({ status: "detected", creditFrom: CURSOR.scanHeight }),
    isDue: true,
  },
  {
    name: "a deposit that may be credited with the next block",
    row: deposit({ status: "detected", creditFrom: CURSOR.scanHeight + 1 }),
    isDue: false,
  },
  {
    name: "a deposit that was taken back",
    row: deposit({ status: "failed", blockHash: null, live: null }),
    isDue: false,
  },
  { name: "a swept deposit", row: deposit({}), isDue: false },
  {
    name: "a confirmed deposit without a sweep",
    row: deposit({ status: "confirmed", sweepId: null }),
    isDue: true,
  },
  {
    name: "a confirmed deposit of an account that has nowhere to sweep to",
    row: deposit({ status: "confirmed", sweepId: null, accountId: 2 }),
    isDue: false,
  },
  { name: "bytes on their way", row: signed({ state: "open" }), isDue: true },
  { name: "bytes that were settled", row: signed({ state: "settled" }), isDue: false },
  { name: "a withdrawal not sent yet", row: withdrawal({ status: "pending" }), isDue: true },
  { name: "a withdrawal that was sent", row: withdrawal({ status: "confirmed" }), isDue: false },
  {
    name: "a sweep whose time has come",
    row: sweep({ state: "waiting", nextTryAtMs: NOW_MS }),
    isDue: true,
  },
  {
    name: "a sweep whose time comes later",
    row: sweep({ state: "waiting", nextTryAtMs: NOW_MS + 1 }),
    isDue: false,
  },
];

/** Two accounts, of which one has somewhere to sweep to. */
async function setUp(db: Db): Promise<void> {
  await db.write({
    reads: [],
    decide: (view) => {
      view.insertKeyed(Networks, NETWORK);
      view.insertKeyed(NetworkCursors, CURSOR);
      for (const id of [1, 2]) {
        view.insertKeyed(Accounts, { ...make.accountFields(), id });
      }
      view.insertKeyed(Currencies, make.makeCurrency("USDT", "0xC"));
      const key = { keyId: "k1", permissions: [], revokedAtMs: null };
      view.insertKeyed(ApiKeys, make.makeApiKey(key));
      view.insertKeyed(ReceivingWallets, {
        accountId: 1,
        network: "ETH",
        address: "0xR",
        nextAddress: null,
        nextAtMs: null,
      });
      view.insertKeyed(Addresses, make.makeAddress({ id: 1 }));
      view.insertKeyed(Sweeps, make.makeSweep({ id: 1, state: "done", open: null }));
    },
  });
}

/** A step that reads transactions, or signed transfers. */
const TABLE_READ =
  /^SEARCH (t|s|p|transactions|addresses) USING INDEX (transactions|signed_[a-z]+|addresses)_/;

const standing = (db: Db) => standingOf(db, { network: NETWORK, nowMs: NOW_MS });

testOnBoth(
  "a round is due exactly if one of its steps would find something",
  async (database) => {
    const db = await database.open();
    await setUp(db);
    assert.deepEqual(await standing(db), {
      cursor: CURSOR,
      last: undefined,
      isAnythingDue: false,
      awaitedHeight: null,
    });
    for (const { name, row: [table, row], isDue } of CASES) {
      await db.write({ reads: [], decide: (view) => void view.insertKeyed(table, row) });
      assert.equal((await standing(db)).isAnythingDue, isDue, name);
      await db.execute([{ sql: `DELETE FROM ${table.name} WHERE id = 9` }]);
    }
    await db.execute([{ sql: "UPDATE network_cursors SET refused_gas = '21000'" }]);
    assert.ok((await standing(db)).isAnythingDue, "a payment that was refused because of its fee");
  },
);

testOnBoth("what was in no block yet is awaited at no height", async (database) => {
  const db = await database.open();
  await setUp(db);
  const unmined = make.makeTransaction({
    ...{ id: 8, ...DEPOSIT, status: "detected", blockNumber: 0, blockHash: null },
  });
  const [, awaited] = deposit({ status: "detected", blockNumber: 7 });
  await db.write({ reads: [], decide: (view) => void view.insertKeyed(Transactions, unmined) });
  assert.equal((await standing(db)).awaitedHeight, null);
  await db.execute([{ sql: "UPDATE transactions SET tx_hash = 'other'" }]);
  await db.write({
    reads: [],
    decide: (view) => void view.insertKeyed(Transactions as Table<AnyRow>, awaited),
  });
  assert.equal((await standing(db)).awaitedHeight, 7);
});

testOnBoth("a round starts with the block that was read last", async (database) => {
  const db = await database.open();
  await setUp(db);
  const height = CURSOR.scanHeight;
  const last = { network: "ETH", height, hash: "0x2", parentHash: "0x1" };
  await db.write({
    reads: [],
    decide: (view) => {
      view.insertKeyed(NetworkBlocks, { ...last, height: height - 1, hash: "0x1" });
      view.insertKeyed(NetworkBlocks, last);
    },
  });
  assert.deepEqual((await standing(db)).last, last);
});

Deno.test("a round's look-ups depend on open work, however much is done", async () => {
  using recording = recordStatements();
  const { statements } = recording;
  await using database = await makeDatabase("an embedded file");
  const db = await database.open();
  await setUp(db);
  const asked = { network: "ETH", limit: 5 };
  const partial: readonly [() => Promise<unknown>, string][] = [
    [
      () =>
        confirmableDeposits(db, {
          ...asked,
          height: 5,
          scanHeight: 9,
          after: FIRST_DEPOSIT,
          exceptIds: [],
        }),
      "transactions_detected",
    ],
    [() => orphanedDeposits(db, { ...asked, afterId: 0 }), "transactions_orphaned"],
    [() => unsweptDeposits(db, asked), "transactions_sweepable"],
    [
      () => bookedAddresses(db, { network: "ETH", pick: { ids: [1] }, unseenFrom: -2 }),
      "signed_(payments_(gas|from)|transactions_sender)",
    ],
    [() => hotWalletOf(db, { accountId: 1, network: "ETH" }), "addresses_hot"],
  ];
  for (const [ask, index] of partial) {
    const before = new Set(statements.keys());
    await ask();
    const [sql, args] = [...statements].find(([text]) => !before.has(text))!;
    const plan = await planOf(database.client(), { sql, args });
    const reads = plan.filter((step) => TABLE_READ.test(step) && !step.includes("address_id=?"));
    const isFoundByIt = (step: string) => new RegExp(`USING INDEX ${index} `).test(step);
    assert.ok(reads.length > 0 && reads.every(isFoundByIt), plan.join("\n"));
  }
});
