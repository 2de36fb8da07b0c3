import assert from "node:assert/strict";
import { ApiKeys } from "../../../src/access/tables/keys.ts";
import { Accounts, ReceivingWallets } from "../../../src/accounts/tables/accounts.ts";
import { TRANSACTIONS } from "../../../src/deposits/lists/transactions.ts";
import { depositsOfRequest, latestRequests } from "../../../src/deposits/reads/deposits.ts";
import { type TransactionRow, Transactions } from "../../../src/deposits/tables/transactions.ts";
import { pendingWithdrawals } from "../../../src/following/reads.ts";
import { Networks } from "../../../src/networks/table.ts";
import { rowsOf, type Values } from "../../../src/operations/lists/list.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { idlePoolAddresses, ownedAddresses } from "../../../src/wallets/reads/addresses.ts";
import { Addresses, DepositRequests } from "../../../src/wallets/tables/addresses.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { seededRandom } from "../../domain/random.ts";
import { type TestDatabase, testOnBoth } from "../databases.ts";
import { listDeps } from "./list_deps.ts";
import {
  accountFields,
  makeAddress,
  makeNetwork,
  makeRequest,
  makeTransaction,
  makeWithdrawal,
} from "./make_rows.ts";
import { SAMPLES } from "./sample_rows.ts";

const DIRECTIONS = ["deposit", "withdrawal", "sweep", "gas_topup"] as const;
const STATUSES = ["detected", "confirmed", "sweep_pending", "swept", "failed"] as const;
const NOW_MS = 1_000_000;
const NETWORKS = ["ETH", "TRX"];
const ASSETS = NETWORKS.flatMap((network) =>
  ["USDT", "ETH", "usdt"].map((symbol) => ({ network, symbol }))
);

/** Two accounts, a key and two networks for rows to belong to. */
async function makeBase(database: TestDatabase): Promise<Db> {
  const db = await database.open();
  const key = SAMPLES.find(({ table }) => table.name === "api_keys")!.row;
  await db.write({
    reads: [],
    decide: (view) => {
      for (const id of [1, 2]) view.insertKeyed(Accounts, { ...accountFields(), id });
      for (const code of ["ETH", "TRX"]) view.insertKeyed(Networks, makeNetwork(code, null));
      view.insertKeyed(ApiKeys, key as never);
    },
  });
  return db;
}

testOnBoth(
  "spec 4.8: pages of transactions are the newest first of what every filter lets through",
  async (database) => {
    const db = await makeBase(database);
    const random = seededRandom(81);
    const deps = listDeps(db, { networks: NETWORKS, coins: ASSETS });
    const rows: TransactionRow[] = Array.from({ length: 300 }, (_, i) =>
      makeTransaction({
        id: i + 1,
        accountId: 1 + random.below(2),
        network: random.pick(["ETH", "TRX"]),
        currency: random.pick(["USDT", "ETH", "usdt"]),
        direction: random.pick(DIRECTIONS),
        status: random.pick(STATUSES),
      }));
    await db.write({
      reads: [],
      decide: (view) => rows.forEach((row) => view.insertKeyed(Transactions, row)),
    });
    for (let i = 0; i < 120; i++) {
      const values = {
        direction: random.pick([undefined, undefined, ...DIRECTIONS]),
        status: random.pick([undefined, undefined, ...STATUSES]),
        network: random.pick([undefined, "ETH", "TRX"]),
        currency: random.pick([undefined, "ETH", "usdt", "USDT", "none"]),
      };
      const cursor = random.pick([null, 1 + random.below(301)]);
      const asked = { accountId: 1 + random.below(2), values, cursor };
      const limit = 1 + random.below(60);
      const found = await rowsOf(deps, TRANSACTIONS, { ...asked, limit });
      const expected = rows.toReversed().filter((row) => isLetThrough(row, asked)).slice(0, limit);
      assert.deepEqual(found.rows, expected, `seed 81: ${JSON.stringify(asked)}`);
    }
  },
);

interface Asked {
  readonly accountId: number;
  readonly values: Values;
  readonly cursor: number | null;
}

function isLetThrough(
  row: TransactionRow,
  { accountId, cursor, values: { currency, ...values } }: Asked,
): boolean {
  return row.accountId === accountId && (cursor === null || row.id < cursor) &&
    (currency === undefined || row.currency.toUpperCase() === String(currency).toUpperCase()) &&
    (["direction", "status", "network"] as const).every((name) =>
      values[name] === undefined || row[name] === values[name]
    );
}

const POOL:
  readonly (readonly [what: string, isIdle: boolean, options: object, deposits?: object[]])[] = [
    ["past its windows", true, {}],
    ["at the very end of its windows", true, { reusableAtMs: NOW_MS }],
    ["still in its windows", false, { reusableAtMs: NOW_MS + 1 }],
    ["that is sticky", false, { reusableAtMs: null, userIdentifier: "u" }],
    ["of another account", false, { accountId: 2 }],
    ["of another network", false, { network: "TRX" }],
    ["with an unconfirmed deposit", false, {}, [{ status: "detected" }]],
    ["with a deposit that is being swept", false, {}, [{ status: "sweep_pending" }]],
    ["with a swept and a failed deposit", true, {}, [{ status: "swept" }, { status: "failed" }]],
    ["with a confirmed deposit that nobody is going to sweep", true, {}, [{ status: "confirmed" }]],
    ["with one done and one unconfirmed deposit", false, {}, [{ status: "swept" }, {
      status: "detected",
    }]],
  ];

for (const [what, isIdle, options, deposits = []] of POOL) {
  testOnBoth(`contract 1: an address ${what} is ${isIdle ? "" : "not "}idle`, async (database) => {
    const db = await makeBase(database);
    await db.write({
      reads: [],
      decide: (view) => {
        view.insertKeyed(Addresses, makeAddress({ id: 1, reusableAtMs: NOW_MS - 1, ...options }));
        deposits.forEach((deposit, i) =>
          view.insertKeyed(Transactions, makeTransaction({ id: i + 1, addressId: 1, ...deposit }))
        );
      },
    });
    const idle = await idlePoolAddresses(db, { accountId: 1, network: "ETH", nowMs: NOW_MS });
    assert.deepEqual(idle.map((row) => row.id), isIdle ? [1] : []);
  });
}

testOnBoth(
  "an address with a confirmed deposit waits for its sweep if the account has a receiving wallet",
  async (database) => {
    const db = await makeBase(database);
    await db.write({
      reads: [],
      decide: (view) => {
        view.insertKeyed(Addresses, makeAddress({ id: 1, reusableAtMs: 1 }));
        view.insertKeyed(
          Transactions,
          makeTransaction({ id: 1, addressId: 1, status: "confirmed" }),
        );
        view.insertKeyed(ReceivingWallets, {
          accountId: 1,
          network: "ETH",
          address: "0xR",
          nextAddress: null,
          nextAtMs: null,
        });
      },
    });
    const asked = { accountId: 1, network: "ETH", nowMs: NOW_MS };
    assert.deepEqual(await idlePoolAddresses(db, asked), []);
  },
);

testOnBoth(
  "contract 1: a sticky request lists all of its address and currency, a pool request its own",
  async (database) => {
    const db = await makeBase(database);
    const sticky = makeRequest({ id: 1, addressId: 1, userIdentifier: "u" });
    const pool = makeRequest({ id: 2, addressId: 2 });
    const later = makeRequest({ id: 3, addressId: 2 });
    await db.write({
      reads: [],
      decide: (view) => {
        for (const id of [1, 2]) view.insertKeyed(Addresses, makeAddress({ id }));
        for (const request of [sticky, pool, later]) view.insertKeyed(DepositRequests, request);
        const deposits = [[1, null, "USDT"], [1, 1, "USDT"], [1, 1, "ETH"], [2, 2, "USDT"], [
          2,
          3,
          "USDT",
        ], [
          2,
          2,
          "ETH",
        ]] as const;
        deposits.forEach(([addressId, depositRequestId, currency], i) =>
          view.insertKeyed(
            Transactions,
            makeTransaction({ id: i + 1, addressId, depositRequestId, currency }),
          )
        );
      },
    });
    const ids = async (request: typeof pool) =>
      (await depositsOfRequest(db, request)).map((row) => row.id);
    assert.deepEqual(await ids(sticky), [1, 2]);
    assert.deepEqual(await ids(pool), [4]);
    assert.deepEqual(await ids(later), [5]);
  },
);

testOnBoth(
  "the newest request for each pair of address and currency is found in one statement",
  async (database) => {
    const db = await makeBase(database);
    await db.write({
      reads: [],
      decide: (view) => {
        for (const id of [1, 2]) view.insertKeyed(Addresses, makeAddress({ id }));
        [[1, "USDT"], [1, "USDT"], [1, "ETH"], [2, "USDT"]].forEach(([addressId, currency], i) =>
          view.insertKeyed(
            DepositRequests,
            makeRequest({ id: i + 1, addressId: Number(addressId), currency: String(currency) }),
          )
        );
      },
    });
    const found = await latestRequests(db, [
      { addressId: 1, currency: "USDT" },
      { addressId: 1, currency: "ETH" },
      { addressId: 2, currency: "ETH" },
      { addressId: 9, currency: "USDT" },
    ]);
    assert.deepEqual(found, new Map([["1/USDT", 2], ["1/ETH", 3]]));
  },
);

testOnBoth("one statement finds which of many addresses are ours", async (database) => {
  const db = await makeBase(database);
  await db.write({
    reads: [],
    decide: (view) => {
      for (let id = 1; id <= 50; id++) view.insertKeyed(Addresses, makeAddress({ id }));
    },
  });
  const addresses = Array.from({ length: 3000 }, (_, i) => `0xA${i * 10}`);
  const owned = await ownedAddresses(db, { network: "ETH", addresses });
  assert.deepEqual(owned.map((row) => row.id).toSorted((a, b) => a - b), [10, 20, 30, 40, 50]);
  assert.deepEqual(await ownedAddresses(db, { network: "TRX", addresses }), []);
});

testOnBoth(
  "a withdrawal is left pending if it is old, or from further ahead than any clock may be",
  async (database) => {
    const db = await makeBase(database);
    await db.execute(["networks", "currencies"].map((table) => ({
      sql: `UPDATE ${table} SET is_active = 1`,
    })));
    const times = [1_000, 60_000, 61_000, 99_000, 100_000, 3_600_000];
    await db.write({
      reads: [],
      decide: (view) =>
        times.forEach((requestedAtMs, i) =>
          view.insertKeyed(Withdrawals, makeWithdrawal({ id: i + 1, requestedAtMs }))
        ),
    });
    const left = await pendingWithdrawals(db, {
      exceptIds: [],
      network: "ETH",
      afterId: 0,
      requestedBeforeMs: 60_000,
      requestedAfterMs: 100_000,
      limit: 10,
    });
    assert.deepEqual(left.map(({ requestedAtMs }) => requestedAtMs), [1_000, 60_000, 3_600_000]);
  },
);
