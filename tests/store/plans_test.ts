import assert from "node:assert/strict";
import type { Client, InStatement, ResultSet } from "@libsql/client";
import * as addressReads from "../../src/store/address_reads.ts";
import { LEDGER_START } from "../../src/domain/ledger_walk.ts";
import type { Db } from "../../src/store/db.ts";
import * as depositReads from "../../src/store/deposit_reads.ts";
import * as followReads from "../../src/store/follow_reads.ts";
import { balancesOf, currenciesOf } from "../../src/store/list_reads.ts";
import * as ledgerReads from "../../src/store/ledger_reads.ts";
import * as reconcileReads from "../../src/store/reconcile_reads.ts";
import { deleteRows, selectByFields, updateRows } from "../../src/store/statements.ts";
import { PRIMARY, type RowValue, type Table } from "../../src/store/table.ts";
import * as sweepReads from "../../src/store/sweep_reads.ts";
import { TABLES } from "../../src/store/tables.ts";
import { transactionPage } from "../../src/store/transaction_reads.ts";
import * as transferReads from "../../src/store/transfer_reads.ts";
import { makeRequest } from "./make_rows.ts";
import * as webhookReads from "../../src/store/webhook_reads.ts";
import { DATABASE_KINDS, makeDatabase } from "./databases.ts";
import { SAMPLES } from "./sample_rows.ts";

/** How the database would go about it, one step a line. */
async function planOf(client: Client, statement: InStatement): Promise<string[]> {
  const { sql, args = [] } = statement as { sql: string; args?: [] };
  const result: ResultSet = await client.execute({ sql: `EXPLAIN QUERY PLAN ${sql}`, args });
  return result.rows.map((row) => String(row.detail));
}

/** Reading a table from end to end, of which there may be millions of rows. */
const isScan = (step: string) =>
  /^SCAN /.test(step) && !/^SCAN (k|r|json_each|CONSTANT|\(subquery|\(join|rows)\b/.test(step) &&
  !/VIRTUAL TABLE/.test(step);

const sampleOf = (name: string) => SAMPLES.find(({ table }) => table.name === name)!.row;

const valuesOf = (row: object, fields: readonly string[]): RowValue[] =>
  fields.map((field) => (row as Record<string, RowValue>)[field] ?? null);

for (const kind of DATABASE_KINDS) {
  Deno.test(`on ${kind}, a look-up by any key of any table goes through an index`, async () => {
    await using database = await makeDatabase(kind);
    const client = database.client();
    for (const table of TABLES) {
      for (const [key, fields] of Object.entries(table.keys)) {
        const values = [valuesOf(sampleOf(table.name), fields)];
        const plan = await planOf(
          client,
          selectByFields(table, { fields: table.keys[key]!, values }),
        );
        const what = `${table.name} by ${key}: ${plan.join("; ")}`;
        assert.ok(
          plan.some((step) =>
            /^SEARCH t USING (INTEGER PRIMARY KEY|(COVERING )?INDEX|PRIMARY KEY)/.test(step)
          ),
          what,
        );
        assert.equal(plan.some(isScan), false, what);
        const terms = plan.find((step) => step.startsWith("SEARCH t"))!.match(/=\?/g)!;
        assert.equal(terms.length, fields.length, what);
      }
    }
  });

  Deno.test(`on ${kind}, rows of any table are changed and removed through their primary key`, async () => {
    await using database = await makeDatabase(kind);
    const client = database.client();
    for (const table of TABLES) {
      const row = sampleOf(table.name);
      const statements = [deleteRows(table, [row])];
      if (table.columns.length > table.keys[PRIMARY]!.length) {
        statements.push(updateRows(table, [row]));
      }
      for (const statement of statements) {
        const plan = await planOf(client, statement);
        const what = `${table.name}: ${plan.join("; ")}`;
        // A removed parent looks for children too; only its own table is asked about here.
        const own = plan.filter((step) => step.split(" ")[1] === table.name);
        assert.ok(own.length > 0 && own.every((step) => step.startsWith("SEARCH")), what);
      }
    }
  });
}

interface Asked {
  readonly sql: string;
  readonly args: readonly unknown[];
}

/** A store that notes what it is asked and answers nothing. */
function notingDb(asked: Asked[]): Db {
  const note = (sql: string, args: readonly unknown[] = []) => {
    asked.push({ sql, args });
    return Promise.resolve([]);
  };
  return {
    list: (table: Table<object>, where: object) => {
      const values = [Object.values(where)];
      const { sql, args } = selectByFields(table, { fields: Object.keys(where), values }) as Asked;
      return note(sql, args);
    },
    rows: (table: { name: string }, tail: string, args?: readonly unknown[]) =>
      note(`SELECT * FROM ${table.name} ${tail}`, args),
    query: note,
  } as unknown as Db;
}

const NETWORK = { network: "ETH" };
const ASSET = { accountId: 1, network: "ETH", currency: "USDT" };
const FILTERS = { direction: "deposit", status: "detected", network: "ETH", cursor: 9 };
const NO_FILTERS = { direction: null, status: null, network: null, cursor: null };
const PAGE = { accountId: 1, limit: 50, currencies: null, ...NO_FILTERS };

const READS: readonly (readonly [what: string, (db: Db) => Promise<unknown>])[] = [
  ["balances of an account", (db) => balancesOf(db, 1)],
  ["currencies of an account", (db) => currenciesOf(db, 1)],
  ["remembered blocks", (db) => followReads.rememberedBlocks(db, "ETH")],
  ["blocks below", (db) => followReads.blocksBelow(db, { ...NETWORK, height: 9, limit: 5 })],
  ["anchored above", (db) => followReads.anchoredAbove(db, { ...NETWORK, height: 9 })],
  [
    "confirmable deposits",
    (db) =>
      followReads.confirmableDeposits(db, { ...NETWORK, height: 9, exceptIds: [1], limit: 5 }),
  ],
  [
    "orphaned deposits",
    (db) => followReads.orphanedDeposits(db, { afterId: 0, ...NETWORK, limit: 5 }),
  ],
  [
    "pending withdrawals",
    (db) =>
      followReads.pendingWithdrawals(db, {
        ...NETWORK,
        requestedBeforeMs: 9,
        requestedAfterMs: 90,
        limit: 5,
      }),
  ],
  ["a page of assets", (db) => ledgerReads.assetsAfter(db, { after: ASSET, limit: 5 })],
  [
    "the ends of ledgers",
    (db) => ledgerReads.ledgerTails(db, { assets: [{ ...ASSET, mark: LEDGER_START }], limit: 5 }),
  ],
  [
    "a page of booked addresses",
    (db) =>
      reconcileReads.bookedAddresses(db, {
        ...NETWORK,
        pick: { afterId: 3, limit: 5 },
        untoldFrom: -2,
      }),
  ],
  [
    "a page of an account's booked addresses",
    (db) =>
      reconcileReads.bookedAddresses(db, {
        ...NETWORK,
        pick: { accountId: 1, afterId: 3, limit: 5 },
        untoldFrom: -2,
      }),
  ],
  [
    "some booked addresses",
    (db) =>
      reconcileReads.bookedAddresses(db, { ...NETWORK, pick: { ids: [1, 2] }, untoldFrom: -2 }),
  ],
  [
    "open bids of hot wallets",
    (db) => reconcileReads.openBidsOfHotWallets(db, { ...NETWORK, limit: 5 }),
  ],
  ["latest requests", (db) => followReads.latestRequests(db, [{ addressId: 1, currency: "USDT" }])],
  [
    "nonces that are held",
    (db) => transferReads.heldNoncesOf(db, { ...NETWORK, sender: "0xH", fromNonce: 5 }),
  ],
  [
    "open transfers of a wallet",
    (db) => transferReads.openTransfersOf(db, { ...NETWORK, sender: "0xH" }),
  ],
  ["open transfers of a network", (db) => transferReads.openTransfersOfNetwork(db, "ETH")],
  ["withdrawals being revoked", (db) => transferReads.revokedWithdrawals(db, [1])],
  ["the open transfer of a withdrawal", (db) => transferReads.openTransferOfWithdrawal(db, 1)],
  [
    "the settled transfer of a withdrawal",
    (db) => transferReads.settledTransferOfWithdrawal(db, 1),
  ],
  [
    "the signed nonces from one on",
    (db) => transferReads.signedNonces(db, { ...NETWORK, sender: "0xH", fromNonce: 7 }),
  ],
  ["the last used nonce", (db) => transferReads.lastUsedNonce(db, { ...NETWORK, sender: "0xH" })],
  [
    "the bids for a nonce",
    (db) => transferReads.bidsFor(db, { ...NETWORK, sender: "0xH", nonce: 1 }),
  ],
  [
    "the top-up to an address",
    (db) => transferReads.openTopUpOf(db, { ...NETWORK, address: "0xA" }),
  ],
  ["the deposits of a sweep", (db) => sweepReads.depositsOfSweep(db, 1)],
  ["unswept deposits", (db) => sweepReads.unsweptDeposits(db, { ...NETWORK, limit: 5 })],
  ["due sweeps", (db) => sweepReads.dueSweeps(db, { ...NETWORK, nowMs: 9, limit: 5 })],
  ["sweeps of a state", (db) => sweepReads.sweepsIn(db, { state: "parked", limit: 5 })],
  [
    "idle pool addresses",
    (db) => addressReads.idlePoolAddresses(db, { ...NETWORK, accountId: 1, nowMs: 9 }),
  ],
  ["owned addresses", (db) => addressReads.ownedAddresses(db, { ...NETWORK, addresses: ["0xA"] })],
  ["a hot wallet", (db) => addressReads.hotWalletOf(db, { ...NETWORK, accountId: 1 })],
  ["hot wallets", (db) => addressReads.hotWallets(db, { ...NETWORK, limit: 5 })],
  [
    "deposits of a pool request",
    (db) => depositReads.depositsOfRequest(db, makeRequest({ id: 1 })),
  ],
  [
    "deposits of a sticky request",
    (db) => depositReads.depositsOfRequest(db, makeRequest({ id: 1, userIdentifier: "u" })),
  ],
  ["the webhooks of an account", (db) => webhookReads.webhookEndpoints(db, 1)],
  ["endpoints with something due", (db) => webhookReads.dueEndpointIds(db, 9)],
  [
    "what is due to an endpoint",
    (db) =>
      webhookReads.dueDeliveries(db, { endpointId: 1, nowMs: 9, exceptEventIds: [1], limit: 5 }),
  ],
  [
    "deliveries of a state",
    (db) => webhookReads.listDeliveries(db, { state: "dead", endpointId: undefined, limit: 5 }),
  ],
  [
    "deliveries to an endpoint",
    (db) => webhookReads.listDeliveries(db, { state: undefined, endpointId: 1, limit: 5 }),
  ],
  ["attempts of an event", (db) => webhookReads.attemptsOf(db, { eventId: 1, limit: 5 })],
  [
    "events of a time",
    (db) =>
      webhookReads.eventsBetween(db, {
        ...{ accountId: 1, toMs: 9, limit: 5 },
        after: { id: 0, createdAtMs: 1 },
      }),
  ],
  [
    "dead deliveries of an account",
    (db) => webhookReads.deadDeliveries(db, { accountId: 1, limit: 5 }),
  ],
  ["a page of transactions", (db) => transactionPage(db, PAGE)],
  [
    "a page with every filter",
    (db) => transactionPage(db, { ...PAGE, ...FILTERS, currencies: ["USDT"] }),
  ],
  [
    "a page of several symbols",
    (db) => transactionPage(db, { ...PAGE, currencies: ["USDT", "usdt"] }),
  ],
];

for (const [what, ask] of READS) {
  Deno.test(`reading ${what} goes through an index`, async () => {
    await using database = await makeDatabase("an embedded file");
    const client = database.client();
    const asked: Asked[] = [];
    await ask(notingDb(asked));
    assert.ok(asked.length > 0);
    for (const { sql, args } of asked) {
      const bound = args.map((value) => typeof value === "number" ? BigInt(value) : value);
      const plan = await planOf(client, { sql, args: bound as [] });
      assert.equal(plan.some(isScan), false, `${sql}\n${plan.join("\n")}`);
    }
  });
}

for (
  const [what, count] of [
    ["top-ups of a sweep", (db: Db) => transferReads.topUpsOfSweep(db, 1)],
    [
      "parked sweeps of a currency",
      (db: Db) => sweepReads.parkedSweeps(db, { ...NETWORK, currency: "USDT" }),
    ],
  ] as const
) {
  Deno.test(`counting the ${what} goes through an index`, async () => {
    await using database = await makeDatabase("an embedded file");
    const asked: Asked[] = [];
    // The double answers no row, of which a count always has one.
    await count(notingDb(asked)).catch(() => {});
    const [{ sql, args }] = asked as [Asked];
    const plan = await planOf(database.client(), { sql, args: args as [] });
    assert.equal(plan.some(isScan), false, plan.join("; "));
  });
}

Deno.test("the last used nonce is read from the end of an index, not from every transfer of the wallet", async () => {
  await using database = await makeDatabase("an embedded file");
  const asked: Asked[] = [];
  await transferReads.lastUsedNonce(notingDb(asked), { ...NETWORK, sender: "0xH" });
  const [{ sql, args }] = asked as [Asked];
  const plan = (await planOf(database.client(), { sql, args: args as [] })).join("; ");
  assert.match(plan, /COVERING INDEX/, plan);
});

for (
  const [filter, index] of [
    [{}, "transactions_account"],
    [{ direction: "deposit" }, "transactions_account_direction"],
    [{ status: "detected" }, "transactions_account_status"],
    [{ network: "ETH" }, "transactions_account_network"],
    [{ currencies: ["USDT"] }, "transactions_account_currency"],
  ] as const
) {
  Deno.test(`a page of transactions filtered by ${Object.keys(filter)[0] ?? "nothing"} is read in the order of its index`, async () => {
    await using database = await makeDatabase("an embedded file");
    const asked: Asked[] = [];
    await transactionPage(notingDb(asked), { ...PAGE, ...filter, cursor: 9 });
    const [{ sql, args }] = asked as [Asked];
    const bound = args.map((value) => typeof value === "number" ? BigInt(value) : value);
    const plan = (await planOf(database.client(), { sql, args: bound as [] })).join("; ");
    assert.match(plan, new RegExp(`USING INDEX ${index} `), plan);
    assert.doesNotMatch(plan, /TEMP B-TREE/, plan);
  });
}

Deno.test("endpoints with something due are stepped through, not found by reading all that is pending", async () => {
  await using database = await makeDatabase("an embedded file");
  const asked: Asked[] = [];
  await webhookReads.dueEndpointIds(notingDb(asked), 9);
  const [{ sql }] = asked as [Asked];
  const plan = await planOf(database.client(), { sql, args: [9n, 9n] });
  const steps = plan.filter((step) => / (d|webhook_deliveries) /.test(step));
  assert.equal(steps.length, 3, plan.join("; "));
  assert.ok(steps.every((step) => step.includes("webhook_deliveries_due")), plan.join("; "));
});
