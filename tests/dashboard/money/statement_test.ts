import assert from "node:assert/strict";
import { nextTurn } from "../../../src/base/waiting/next_turn.ts";
import { bookAdjustment, createAccount } from "../../../src/accounts/manage_accounts.ts";
import { type Statement, statementOf } from "../../../src/accounts/statement.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { addSource } from "../../../src/rates/manage.ts";
import { balanceRead, postEntry } from "../../../src/books/records.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { Amount, assetOf } from "../../../src/domain/money/amount.ts";
import { LEDGER_EFFECTS, type LedgerKind } from "../../../src/domain/money/balance.ts";
import { LedgerEntries, type LedgerEntryRow } from "../../../src/books/table.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { enable, makeNetwork, startGateway } from "../../support/gateway.ts";
import { noteTest } from "../../support/stage.ts";
import { openStillGateway } from "../gateway.ts";

const START_MS = Date.UTC(2026, 9, 1);
const HOUR_MS = 3_600_000;
const DECIMALS = 36;
/** More than everything that is taken away. */
const PLENTY = 10n ** 65n;
const asset = { accountId: 1, network: "ETH", currency: "ETH" };
const OTHER = { accountId: 1, network: "ETH", currency: "USDT" };

/** The same numbers for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}

/** With up to 36 decimals and 30 digits before them. */
function randomAmount(random: (below: number) => number, name: string): Amount {
  const digits = Array.from({ length: 1 + random(60) }, () => random(10)).join("");
  return Amount.fromRaw(BigInt(`1${digits}`), { asset: name, decimals: random(DECIMALS + 1) });
}

/** Books random entries; every tenth is from a clock that is behind. */
async function live({ db }: Deps, { seed, entries }: { seed: number; entries: number }) {
  const random = randomOf(seed);
  for (let i = 0; i < entries; i++) {
    const of = random(3) === 0 ? OTHER : asset;
    const amount = randomAmount(random, assetOf(of));
    const kind = (["credit", "credit", "adjust", "reversal", "hold", "debit"] as const)[random(6)]!;
    const nowMs = START_MS + i * HOUR_MS - (random(10) === 0 ? 5 * HOUR_MS : 0);
    await db.write({
      reads: [balanceRead(of)],
      decide: (view) => {
        noteTest(view);
        const post = (kind: LedgerKind, amount: Amount) =>
          void postEntry(view, { ...of, kind, amount, note: `n${i}`, nowMs });
        if (kind !== "hold" && kind !== "debit") {
          return post(kind, kind === "adjust" && random(2) === 0 ? amount.negated() : amount);
        }
        post("adjust", Amount.fromRaw(PLENTY, { asset: amount.asset, decimals: 0 }));
        post("hold", amount);
        post(kind === "debit" ? "debit" : "release", amount);
      },
    });
  }
}

/** The plain way: every entry of the period, one after the other. */
function addedUp(all: readonly LedgerEntryRow[], of: Statement) {
  const rows = all.filter(({ id }) => id >= of.span.fromId && id < of.span.belowId);
  const sums = new Map<string, { entries: number; amount: Amount }>();
  let { balance, held } = of.opening;
  for (const row of rows) {
    const amount = Amount.parse(row.amount, assetOf(row));
    const effect = LEDGER_EFFECTS[row.kind];
    if (effect.balance !== 0) {
      balance = effect.balance === 1 ? balance.plus(amount) : balance.minus(amount);
    }
    if (effect.held !== 0) held = effect.held === 1 ? held.plus(amount) : held.minus(amount);
    const sum = sums.get(row.kind) ?? { entries: 0, amount: Amount.zero(amount.asset) };
    sums.set(row.kind, { entries: sum.entries + 1, amount: sum.amount.plus(amount) });
    assert.equal(balance.toString(), row.balanceAfter);
    assert.equal(held.toString(), row.heldAfter);
  }
  return { sums, balance, held };
}

const shown = (totals: Iterable<readonly [string, { entries: number; amount: Amount }]>) =>
  [...totals].map(([kind, { entries, amount }]) => `${kind} ${entries} ${amount}`).toSorted();

Deno.test("statements of random histories equal the ledger to the last digit, and join without a gap", async () => {
  for (const seed of [1, 2, 3, 4]) {
    await using gateway = await openStillGateway();
    const { deps } = gateway;
    await createAccount(deps, { name: "Acme", actor: "test" });
    await live(deps, { seed, entries: 120 });
    const all = await deps.db.rows(LedgerEntries, "WHERE currency = 'ETH' ORDER BY id");
    const random = randomOf(seed + 100);
    const cuts = Array.from({ length: 6 }, () => START_MS + random(130) * HOUR_MS)
      .toSorted((a, b) => a - b);
    let before: Statement | undefined;
    for (const [i, untilMs] of [...cuts, null].entries()) {
      const period = { ...asset, fromMs: i === 0 ? null : cuts[i - 1]!, untilMs };
      const statement = await statementOf(deps, period);
      assert.ok(statement.addsUp);
      const plain = addedUp(all, statement);
      assert.deepEqual(shown(statement.totals!), shown(plain.sums));
      assert.equal(statement.closing.balance.toString(), plain.balance.toString());
      assert.equal(statement.closing.held.toString(), plain.held.toString());
      const opening = before?.closing.balance.toString() ?? "0";
      assert.equal(statement.opening.balance.toString(), opening);
      assert.deepEqual(shown((await statementOf(deps, period)).totals!), shown(plain.sums));
      before = statement;
    }
    const late = { ...asset, fromMs: START_MS + HOUR_MS, untilMs: null };
    assert.equal((await statementOf(deps, late, { addedMax: 0 })).totals, undefined);
    while (deps.memory.ledgerPass !== undefined) await nextTurn();
    const added = await statementOf(deps, late, { addedMax: 0 });
    assert.deepEqual(shown(added.totals!), shown(addedUp(all, added).sums), "beside the page");
    const whole = await statementOf(deps, { ...asset, fromMs: null, untilMs: null });
    assert.equal(whole.closing.balance.toString(), all.at(-1)!.balanceAfter);
    assert.equal(
      [...whole.totals!.values()].reduce((n, { entries }) => n + entries, 0),
      all.length,
    );
  }
});

Deno.test("an entry belongs to the month of its time, and new ones are added to what was added up", async () => {
  await using gateway = await openStillGateway();
  const { deps } = gateway;
  await createAccount(deps, { name: "Acme", actor: "test" });
  const book = (nowMs: number, amount: string) =>
    deps.db.write({
      reads: [balanceRead(asset)],
      decide: (view) => {
        noteTest(view);
        postEntry(view, {
          ...asset,
          kind: "credit",
          amount: Amount.parse(amount, "ETH/ETH"),
          nowMs,
        });
      },
    });
  const november = Date.UTC(2026, 10, 1);
  await book(november - 1, "1");
  await book(november, "2");
  const of = async (fromMs: number | null, untilMs: number | null) => {
    const { opening, closing, totals } = await statementOf(deps, { ...asset, fromMs, untilMs });
    return [opening.balance, totals!.get("credit")?.entries ?? 0, closing.balance].map(String);
  };
  assert.deepEqual(await of(START_MS, november), ["0", "1", "1"]);
  assert.deepEqual(await of(november, null), ["1", "1", "3"]);
  await book(november + 1, "4");
  assert.deepEqual(await of(november, null), ["1", "2", "7"]);
  assert.deepEqual(await of(november, november + 1), ["1", "1", "3"]);
  assert.deepEqual(await of(november + 2, null), ["7", "0", "7"]);
  assert.deepEqual(await of(null, START_MS), ["0", "0", "0"]);
});

async function startBooked() {
  const gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps } = gateway;
  await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:9"] });
  const { id: accountId } = await createAccount(deps, { name: "Acme", actor: "test" });
  const { id: others } = await createAccount(deps, { name: "Others", actor: "test" });
  for (const id of [accountId, others]) {
    await enable(deps, { accountId: id, network: "ETH", currency: "ETH" });
  }
  const operator = await makeLogin(deps);
  const order = { accountId, network: "ETH", currency: "ETH" };
  const actor = `user:${operator.user.id}`;
  await bookAdjustment(deps, { ...order, amount: "100.5", note: "=lost and found", actor });
  await addSource(deps, { base: "ETH", quote: "EUR", kind: "manual", value: "3000.25", actor });
  const path = `/accounts/${accountId}/settings`;
  const { token } = operator;
  const form = { csrf: csrfOf(token), may_push: "on", reporting: "EUR" };
  assert.equal((await dashboardFetch(gateway.url, { path, token, form })).status, 303);
  await bookAdjustment(deps, { ...order, amount: "-0.25", note: "a fee", actor });
  const theirs = { ...order, accountId: others, amount: "77.77", note: "their secret", actor };
  await bookAdjustment(deps, theirs);
  const get = async (token: string, path: string) => {
    const answer = await dashboardFetch(gateway.url, { path, token });
    return { status: answer.status, text: await answer.text() };
  };
  return {
    ...{ get, accountId, others, operator: operator.token },
    merchant: (await makeLogin(deps, { accountId })).token,
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}

Deno.test("a balance is explained line by line: manual bookings with who and why, in both roles", async () => {
  await using booked = await startBooked();
  const { get, merchant, operator, accountId } = booked;
  const own = await get(merchant, "/balances/ETH/ETH");
  assert.equal(own.status, 200);
  assert.match(own.text, /Manual booking by the operator/);
  assert.match(own.text, /a fee/);
  assert.doesNotMatch(own.text, /operator@example\.com/);
  const seen = await get(operator, `/balances/ETH/ETH?account=${accountId}`);
  assert.match(seen.text, /Manual booking by operator@example\.com/);
  for (const page of ["", "/statement"]) {
    const { text } = await get(merchant, `/balances/ETH/ETH${page}?period=all`);
    assert.match(text, /Closing balance[^]*100<i>\.25/);
    assert.match(text, /Manual bookings/);
    assert.match(text, /title="-€750.0625">-€750<i>.06[^]*1 of 2 entries/);
  }
  const january = await get(merchant, "/balances/ETH/ETH/statement?period=2026-01");
  assert.match(january.text, /From<[^]{0,20}2026-01-01 00:00:00 UTC[^]*2026-01-31 23:59:59 UTC/);
  const misread = await get(merchant, "/balances/ETH/ETH?from=2026-13-01");
  assert.match(misread.text, /A period is a month/);
  const before = await get(merchant, "/balances/ETH/ETH?until=2026-01-01");
  assert.match(before.text, /Nothing was booked in this period/);
});

Deno.test("the ledger's CSV has the opening and closing balance, every line and totals", async () => {
  await using booked = await startBooked();
  const { get, merchant } = booked;
  const { text } = await get(merchant, "/balances/ETH/ETH/ledger.csv?period=all");
  const [title, ...lines] = text.trimEnd().split("\r\n");
  assert.match(title!, /^id,time,kind,amount,held_amount,balance,held,/);
  assert.deepEqual(lines.map((line) => line.replace(/20\d\d-[^,]*/, "TIME")), [
    ",,opening_balance,,,0,0,,,,,,,,,,",
    "1,TIME,adjust,100.5,0,100.5,0,,,the operator,'=lost and found,,,,,,",
    "2,TIME,adjust,-0.25,0,100.25,0,,,the operator,a fee,-750.0625,0,EUR,,,",
    ",,closing_balance,,,100.25,0,,,,,,,,,,",
    ",,total_adjust,100.25,0,,,,,,2 entries,,,,,,",
    ",,total_value_adjust,,,,,,,,1 entry,-750.0625,0,EUR,,,",
  ]);
});

Deno.test("another account's ledger can't be asked for, and an unknown currency doesn't exist", async () => {
  await using booked = await startBooked();
  const { get, merchant, others } = booked;
  for (const path of ["/balances/ETH/ETH", "/balances/ETH/ETH/statement", "/balances"]) {
    const { status, text } = await get(merchant, `${path}?account=${others}&period=all`);
    assert.equal(status, 200);
    assert.doesNotMatch(text, /77(<i>)?\.77|their secret/, path);
  }
  const { text } = await get(merchant, `/balances/ETH/ETH/ledger.csv?account=${others}&period=all`);
  assert.doesNotMatch(text, /77\.77|their secret/);
  for (const page of ["", "/statement", "/ledger.csv"]) {
    assert.equal((await get(merchant, `/balances/ETH/NONE${page}`)).status, 404);
  }
});
