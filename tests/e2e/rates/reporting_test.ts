import assert from "node:assert/strict";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { setAccount } from "../../../src/accounts/set_account.ts";
import { statementOf } from "../../../src/accounts/statement.ts";
import { Accounts } from "../../../src/accounts/tables/accounts.ts";
import { Alerts } from "../../../src/alerts/table.ts";
import { balanceRead, postEntry } from "../../../src/books/records.ts";
import { changedValue } from "../../../src/books/rules/statement.ts";
import { LedgerEntries } from "../../../src/books/table.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { Amount, assetOf } from "../../../src/domain/money/amount.ts";
import type { LedgerKind } from "../../../src/domain/money/balance.ts";
import { removeSource } from "../../../src/rates/manage.ts";
import { RateReadings } from "../../../src/rates/table.ts";
import { sealedText } from "../../../src/store/engine/seals.ts";
import { makePriced, manual, PAIR, type Priced } from "./_priced.ts";
import { noteTest } from "../../support/stage.ts";

const ETH = { accountId: 1, network: "ETH", currency: "ETH" };
const COIN = { ...ETH, currency: "COIN" };
const EUROS = { base: "ETH", quote: "EUR" };

async function report(deps: Deps, reporting: string | null): Promise<void> {
  await setAccount(deps, { id: 1, change: { reporting }, actor: "test" });
}

interface Booking {
  readonly amount?: string;
  readonly kind?: LedgerKind;
  readonly asset?: typeof ETH;
}

/** The last entry as its reader sees it. */
async function book(deps: Deps, { amount = "2.5", kind = "adjust", asset = ETH }: Booking = {}) {
  await deps.db.write({
    reads: [balanceRead(asset)],
    decide: (view) => {
      noteTest(view);
      const entry = { kind, amount: Amount.parse(amount, assetOf(asset)), nowMs: view.nowMs };
      postEntry(view, { ...asset, ...entry });
    },
  });
  const [row] = await deps.db.rows(LedgerEntries, "ORDER BY id DESC LIMIT 1");
  assert.ok(deps.db.isGenuine(LedgerEntries, row!));
  return [row!.value, row!.valueCurrency];
}

async function startReporting(): Promise<Priced> {
  const priced = await makePriced();
  await createAccount(priced.deps, { name: "Acme", actor: "test" });
  await createAccount(priced.deps, { name: "Others", actor: "test" });
  return priced;
}

Deno.test("an entry stores what its amount was worth in the account's currency when it was written", async () => {
  await using priced = await startReporting();
  const { deps, clock } = priced;
  assert.deepEqual(await book(deps), [null, null]);
  await report(deps, "eur");
  assert.deepEqual(await book(deps), [null, null], "no rate yet, and that isn't zero");
  const first = await priced.add(manual("1234.567890123456789", EUROS));
  assert.deepEqual(await book(deps), ["3086.4197253086419725", "EUR"]);
  assert.deepEqual(await book(deps, { amount: "-0.1" }), ["-123.4567890123456789", "EUR"]);
  assert.deepEqual(await book(deps, { amount: "2", kind: "hold" }), [
    "2469.135780246913578",
    "EUR",
  ]);
  assert.deepEqual(await book(deps, { amount: "7", asset: COIN }), [null, null]);
  assert.deepEqual(await book(deps, { asset: { ...ETH, accountId: 2 } }), [null, null]);
  const other = await priced.open();
  assert.deepEqual(await book(other), ["3086.4197253086419725", "EUR"]);
  await removeSource(deps, { id: first, actor: "test" });
  assert.deepEqual(await book(deps), [null, null]);
  await priced.add(manual("2000"));
  await priced.add(manual("1.25", { base: "EUR", quote: "USD" }));
  assert.deepEqual(await book(deps), ["4000", "EUR"]);
  clock.ms += 1_000;
  assert.deepEqual(await book(other), ["4000", "EUR"], "another program knows within a second");
  await report(deps, "USD");
  assert.deepEqual(await book(deps), ["5000", "USD"]);
  clock.ms += 1_000;
  assert.deepEqual(await book(other), ["5000", "USD"]);
  await report(deps, null);
  assert.deepEqual(await book(deps), [null, null]);
  const rows = await deps.db.rows(LedgerEntries, "WHERE value IS NOT NULL ORDER BY id");
  assert.deepEqual(rows.map(({ valueCurrency }) => valueCurrency), [
    ...Array.from({ length: 6 }, () => "EUR"),
    ...["USD", "USD"],
  ], "older entries keep their values");
});

Deno.test("a price that has got too old gives no value, to the millisecond", async () => {
  await using priced = await startReporting();
  const { deps, clock } = priced;
  await report(deps, "USD");
  const maxAgeMs = 120_000;
  const [url, pointer] = ["http://127.0.0.1:9/", "/price"];
  const id = await priced.add({ ...PAIR, kind: "http", url, pointer, maxAgeMs });
  await deps.db.write({
    reads: [],
    decide: (view) => {
      const reading = { source: `http/${id}`, value: "3000", atMs: clock.ms };
      view.insertKeyed(RateReadings, { ...reading, error: null, failingSinceMs: null });
    },
  });
  clock.ms += maxAgeMs;
  assert.deepEqual(await book(deps), ["7500", "USD"]);
  clock.ms += 1;
  assert.deepEqual(await book(deps), [null, null]);
  await book(deps, { asset: COIN });
  const alerts = await deps.db.list(Alerts, { open: 1 });
  assert.deepEqual(alerts.map(({ subject }) => subject), ["rate:ETH/USD"]);
});

Deno.test("rows from before values were stored keep their seals", () => {
  const added = ["reporting", "value", "valueCurrency"];
  for (const table of [Accounts, LedgerEntries]) {
    const columns = table.columns.filter(({ field }) => !added.includes(field));
    const before = { ...table, columns, sealedColumns: columns.map((_, i) => i) };
    const row = columns.map(({ field }) => field);
    const unset = Array.from({ length: table.columns.length - columns.length }, () => null);
    assert.ok(unset.length > 0);
    assert.equal(sealedText(table, [...row, ...unset]), sealedText(before, row));
  }
});

Deno.test("money is booked without a value, and with an alert, if somebody tampers with the rates", async () => {
  await using priced = await startReporting();
  const { deps, clock } = priced;
  await report(deps, "USD");
  await priced.add(manual("3000"));
  await deps.db.execute([{ sql: "UPDATE rate_sources SET value = '9'" }]);
  clock.ms += 1_000;
  assert.deepEqual(await book(deps), [null, null]);
  const alerts = await deps.db.list(Alerts, { open: 1 });
  assert.deepEqual(alerts.map(({ subject }) => subject), ["rate_sources:1"]);
  await deps.db.execute([{ sql: "DROP TABLE rate_readings" }]);
  clock.ms += 1_000;
  assert.deepEqual(await book(deps), [null, null], "nothing about rates stops a booking");
});

Deno.test("the totals of statements equal the sums of the entries' values to the last digit", async () => {
  await using priced = await startReporting();
  const { deps, clock } = priced;
  let state = 7;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
  const digits = (count: number) => Array.from({ length: count }, () => random(10)).join("");
  let source: number | undefined;
  const startMs = clock.ms;
  for (let i = 0; i < 60; i++) {
    if (random(5) < 2) await report(deps, [null, "USD", "EUR"][random(3)]!);
    if (random(5) < 2) {
      if (source) await removeSource(deps, { id: source, actor: "test" });
      const pair = random(2) === 0 ? PAIR : EUROS;
      source = random(4) === 0 ? undefined : await priced.add(manual(`3.${digits(20)}1`, pair));
    }
    const kind = (["credit", "adjust", "reversal", "hold", "release"] as const)[random(5)]!;
    clock.ms += 1 + random(5_000);
    await book(deps, { kind: "adjust", amount: "1000000" });
    await book(deps, { kind: "hold", amount: "1000" });
    await book(deps, { kind, amount: `${1 + random(900)}.${digits(18)}1` });
  }
  const rows = await deps.db.rows(LedgerEntries, "ORDER BY id");
  const middleMs = Math.floor((startMs + clock.ms) / 2);
  const none = rows.filter(({ value }) => value === null).length;
  assert.ok(none > 10 && none < rows.length - 10, `${none} of ${rows.length} have no value`);
  for (const [fromMs, untilMs] of [[null, null], [null, middleMs], [middleMs, null]] as const) {
    const { totals, addsUp } = await statementOf(deps, { ...ETH, fromMs, untilMs });
    const sums = new Map<string, Amount>();
    for (const row of rows) {
      const isIn = row.createdAtMs >= (fromMs ?? 0) && row.createdAtMs < (untilMs ?? Infinity);
      const { currency } = changedValue(row);
      if (!isIn || currency === null) continue;
      const value = Amount.parse(row.value!, currency);
      const name = `${row.kind} ${currency}`;
      sums.set(name, sums.get(name)?.plus(value) ?? value);
    }
    const stated = [...totals!].flatMap(([kind, { values }]) =>
      [...values].map(([currency, { value }]) => `${kind} ${currency} ${value}`)
    );
    assert.ok(addsUp);
    assert.ok(stated.length > 2, stated.join(", "));
    assert.deepEqual(
      stated.toSorted(),
      [...sums].map(([name, sum]) => `${name} ${sum}`).toSorted(),
    );
  }
});
