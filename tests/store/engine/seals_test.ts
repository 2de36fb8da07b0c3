import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createMac } from "../../../src/base/secrets/mac.ts";
import { toHex } from "../../../src/base/bytes.ts";
import { SEALED_TABLES } from "../../../src/store/reads/sealed.ts";
import { sealedText, Seals } from "../../../src/store/engine/seals.ts";
import {
  type AnyRow,
  defineTable,
  fromValues,
  PRIMARY,
  type RowValue,
  type Table,
  text,
  toValues,
} from "../../../src/store/tables/table.ts";
import { Balances } from "../../../src/books/table.ts";
import { read, type View } from "../../../src/store/engine/workspace.ts";
import { testOnBoth } from "../databases.ts";
import { SAMPLES } from "../reads/sample_rows.ts";

const KEY = new Uint8Array(32).fill(7);
const fresh = () => new Seals(createMac(KEY), { id: 0, hash: null }, { isBeginning: true });

/** Tables that decide about money; a column of theirs that is not sealed is named here. */
const UNGUARDED: Readonly<Record<string, readonly string[]>> = {
  networks: [],
  currencies: [],
  accounts: [],
  account_currencies: [],
  receiving_wallets: [],
  api_keys: ["ownRateLimit"],
  deposit_requests: [],
  payment_links: [],
  invoices: ["judgeAtMs"],
  invoice_addresses: [],
  invoice_payments: [],
  refunds: [],
  refund_totals: [],
  refund_links: [],
  events: [],
  checkouts: [],
  checkout_logos: [],
  ledger_checks: [],
  webhook_endpoints: [
    "leaseOwner",
    "leaseUntilMs",
    "failures",
    "pausedUntilMs",
    "failingSinceMs",
    "failedEventId",
    "disabledAtMs",
    "disabledReason",
  ],
  payout_batches: ["refusals", "startedAtMs"],
  settings: [],
  rate_sources: [],
  rate_readings: [],
  policies: [],
  policy_books: [],
  policy_cursor: [],
  policy_meters: [],
  policy_marks: [],
  policy_removals: [],
  payees: [],
  approval_requests: [],
  approvals: [],
  proposals: [],
  addresses: ["reusableAtMs", "currentRequestId"],
  xpubs: [],
  withdrawals: [],
  allowed_recipients: [],
  sweeps: ["reason", "failures", "batchFailures", "nextTryAtMs", "code"],
  transactions: [],
  signed_transfers: ["sentAtMs"],
  signed_transactions: ["sentAtMs"],
  signed_payments: [],
  claims: [],
  outputs: [],
  deposit_inputs: [],
  collectors: [],
  balances: [],
  ledger_entries: [],
  users: [],
  role_keys: [],
  sessions: [],
  set_up_links: [],
};

Deno.test("a seal is half of a hash over the key's block, the message's length and the message", () => {
  for (const message of ["", "a", "ž🦕漢", "x".repeat(5_000)]) {
    const text = `${toHex(KEY)}${message.length}:${message}`;
    const whole = createHash("sha256").update(text).digest("hex");
    assert.equal(createMac(KEY)(message), whole.slice(0, 32));
  }
});

Deno.test("no two rows of values are sealed as the same text", () => {
  const table = defineTable("words", {
    columns: { a: text(), b: text(), c: text() },
    primary: ["a"],
    sealedExcept: [],
  }) as Table<AnyRow>;
  const values = ["", "-", "#1;", "1:-", "0:", "10:", 1, -1, 11, null];
  const rows = values.flatMap((a) => values.flatMap((b) => values.map((c) => [a, b, c])));
  const texts = new Set(rows.map((row) => sealedText(table, row)));
  assert.equal(texts.size, rows.length);
});

Deno.test("every column of every table that decides about money is sealed", () => {
  const declared = SEALED_TABLES.map((table) => [
    table.name,
    table.columns.map(({ field }) => field).filter((_, i) => !table.sealedColumns!.includes(i)),
  ]);
  assert.deepEqual(Object.fromEntries(declared), UNGUARDED);
});

Deno.test("a row with a changed value in any sealed column isn't genuine", () => {
  let changed = 0;
  for (const { table, row } of SAMPLES.filter(({ table }) => table.sealedColumns)) {
    const values = toValues(table, row);
    const seal = fresh().of(table, values);
    assert.ok(isRight(table, values, seal), table.name);
    for (const i of table.sealedColumns!) {
      for (const other of othersOf(table, i, values[i]!)) {
        const forged = values.with(i, other);
        assert.equal(isRight(table, forged, seal), false, `${table.name} ${i} ${other}`);
        changed++;
      }
    }
  }
  assert.ok(changed > 300, String(changed));
});

Deno.test("a seal is worthless in another row or table, under another key, or removed", () => {
  const sealed = SAMPLES.filter(({ table }) => table.sealedColumns);
  const seals = sealed.map(({ table, row }) => fresh().of(table, toValues(table, row)));
  assert.equal(new Set(seals).size, new Set(sealed.map(textOf)).size);
  const [{ table, row }] = sealed as [typeof sealed[number]];
  const values = toValues(table, row);
  assert.equal(isRight(table, values, null), false);
  assert.equal(isRight(table, values, ""), false);
  const other = new Seals(createMac(new Uint8Array(32).fill(8)), null);
  assert.equal(isRight(table, values, other.of(table, values)), false);
});

Deno.test("a value in one column is never mistaken for one in the next", () => {
  const at = { accountId: 1, network: "ETH", balance: "1", held: "0" };
  const one = toValues(Balances, { ...at, currency: "A;balance:1:9" });
  const other = toValues(Balances, { ...at, currency: "A", balance: "9" });
  assert.notEqual(fresh().of(Balances, one), fresh().of(Balances, other));
});

const ASSET = { accountId: 1, network: "ETH", currency: "ETH" };
const KEY_OF = [1, "ETH", "ETH"];

testOnBoth(
  "a row that somebody else wrote stays tampered with, however it is changed afterwards",
  async (database) => {
    const db = await database.open();
    db.protect(fresh());
    const samples = SAMPLES.filter(({ table }) => ["networks", "accounts"].includes(table.name));
    const unit = <T>(decide: (view: View) => T) =>
      db.write({ reads: [read(Balances, KEY_OF)], decide });
    await unit((view) => {
      for (const { table, row } of samples) view.insertKeyed(table, row);
      view.insertKeyed(Balances, { ...ASSET, balance: "5", held: "0" });
    });
    const isGenuine = () =>
      unit((view) => view.isGenuine(Balances, view.raw.find(Balances, KEY_OF)!));
    const change = (balance: string) =>
      unit((view) => void view.update(Balances, view.raw.find(Balances, KEY_OF)!, { balance }));
    assert.equal(await isGenuine(), true);
    await change("6");
    assert.equal(await isGenuine(), true);
    const sql = database.client();
    await sql.execute("UPDATE balances SET balance = '600'");
    assert.equal(await isGenuine(), false);
    await change("601");
    assert.equal(await isGenuine(), false);
    assert.equal(db.isGenuine(Balances, (await db.find(Balances, KEY_OF))!), false);
    await sql.execute("UPDATE balances SET balance = '6'");
    assert.equal(await isGenuine(), true, "put back to what it was");
    await sql.execute("UPDATE balances SET balance = '7', seal = NULL");
    assert.equal(await isGenuine(), false);
    await unit((view) => view.accept(Balances, view.raw.find(Balances, KEY_OF)!));
    assert.equal(await isGenuine(), true, "accepted");
    const row = (await db.find(Balances, KEY_OF))!;
    assert.equal(db.isGenuine(Balances, row), true);
    assert.equal(db.isGenuine(Balances, { ...row }), false, "a copy proves nothing");
  },
);

function isRight(table: Table<AnyRow>, values: readonly RowValue[], seal: string | null): boolean {
  return fresh().isRight(table, fromValues(table, [...values, seal]));
}

function textOf({ table, row }: typeof SAMPLES[number]): string {
  return `${table.name} ${JSON.stringify(toValues(table, row))}`;
}

/** Values of the column's kind that differ, null among them where the key allows it. */
function othersOf(table: Table<AnyRow>, i: number, value: RowValue): RowValue[] {
  const { type, field } = table.columns[i]!;
  const nothing = table.keys[PRIMARY]!.includes(field) || type === "json" ? [] : [null];
  const others: RowValue[] = {
    int: [Number(value) + 1, 0, -1],
    text: [`${value} `, "", "0"],
    bool: [value === 1 ? 0 : 1],
    json: ['["x"]', "{}"],
  }[type];
  return [...others, ...nothing].filter((other) => other !== value);
}
