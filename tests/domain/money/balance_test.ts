import assert from "node:assert/strict";
import { InvariantError } from "../../../src/base/assert.ts";
import { Amount } from "../../../src/domain/money/amount.ts";
import {
  applyEntry,
  available,
  type Balance,
  LEDGER_EFFECTS,
  type LedgerKind,
} from "../../../src/domain/money/balance.ts";
import { seededRandom } from "../random.ts";

const ASSET = "ETH/USDT";
const money = (text: string) => Amount.parse(text, ASSET);
const makeBalance = (balance: string, held: string): Balance => ({
  balance: money(balance),
  held: money(held),
});
const textOf = ({ balance, held }: Balance) => `${balance} ${held}`;

/**
 * Spec 3.2, and deposits and manual entries as well: each moves 7, starting with 100 of which 30
 * are held.
 */
const TABLE: Record<LedgerKind, { balance: string; held: string; available: string }> = {
  hold: { balance: "100", held: "37", available: "63" },
  debit: { balance: "93", held: "23", available: "70" },
  release: { balance: "100", held: "23", available: "77" },
  credit: { balance: "107", held: "30", available: "77" },
  reversal: { balance: "93", held: "30", available: "63" },
  adjust: { balance: "107", held: "30", available: "77" },
};

for (const [kind, expected] of Object.entries(TABLE) as [LedgerKind, typeof TABLE.hold][]) {
  Deno.test(`spec 3.2: a ${kind} changes balance, held and available as in the table`, () => {
    const after = applyEntry(makeBalance("100", "30"), { kind, amount: money("7") });
    assert.deepEqual({
      balance: after.balance.toString(),
      held: after.held.toString(),
      available: available(after).toString(),
    }, expected);
  });
}

Deno.test("the table of ledger effects has these kinds and no others", () => {
  assert.deepEqual(Object.keys(LEDGER_EFFECTS).toSorted(), Object.keys(TABLE).toSorted());
});

Deno.test("spec 3.2: available money changes with a withdrawal's hold and not again with its debit", () => {
  const before = makeBalance("10", "0");
  const held = applyEntry(before, { kind: "hold", amount: money("4.000001") });
  const confirmed = applyEntry(held, { kind: "debit", amount: money("4.000001") });
  assert.equal(available(held).toString(), "5.999999");
  assert.equal(available(confirmed).toString(), available(held).toString());
  assert.equal(textOf(confirmed), "5.999999 0");
});

Deno.test("spec 3.2: a released hold restores the earlier state", () => {
  const before = makeBalance("10", "1");
  const held = applyEntry(before, { kind: "hold", amount: money("9") });
  assert.equal(textOf(applyEntry(held, { kind: "release", amount: money("9") })), "10 1");
});

Deno.test("everything available can be held, and not one unit more", () => {
  const before = makeBalance("10", "3");
  const all = applyEntry(before, { kind: "hold", amount: money("7") });
  assert.equal(available(all).toString(), "0");
  assert.throws(() => applyEntry(before, { kind: "hold", amount: money("7.000000000000000001") }), {
    name: "InvariantError",
    message: "Cannot hold 7.000000000000000001: available is 7",
  });
});

Deno.test("no more than was held can be released or debited", () => {
  for (const kind of ["release", "debit"] as const) {
    const before = makeBalance("10", "3");
    assert.equal(applyEntry(before, { kind, amount: money("3") }).held.toString(), "0");
    assert.throws(() => applyEntry(before, { kind, amount: money("3.01") }), InvariantError);
  }
});

Deno.test("contract 1: a reversal takes back a spent deposit, and the balance goes below zero", () => {
  const after = applyEntry(makeBalance("1", "0"), { kind: "reversal", amount: money("5") });
  assert.equal(textOf(after), "-4 0");
  assert.throws(() => applyEntry(after, { kind: "hold", amount: money("0.1") }), InvariantError);
  assert.equal(textOf(applyEntry(after, { kind: "credit", amount: money("5") })), "1 0");
});

Deno.test("a reversal leaves open holds as they are, and their debits go through", () => {
  const reversed = applyEntry(makeBalance("5", "5"), { kind: "reversal", amount: money("5") });
  assert.equal(available(reversed).toString(), "-5");
  assert.equal(textOf(applyEntry(reversed, { kind: "debit", amount: money("5") })), "-5 0");
});

Deno.test("a manual entry has a sign, and no other kind does", () => {
  const before = makeBalance("1", "1");
  assert.equal(textOf(applyEntry(before, { kind: "adjust", amount: money("-2.5") })), "-1.5 1");
  for (const kind of Object.keys(LEDGER_EFFECTS) as LedgerKind[]) {
    if (kind === "adjust") continue;
    assert.throws(() => applyEntry(before, { kind, amount: money("-1") }), InvariantError, kind);
  }
});

Deno.test("an entry in another currency never reaches a balance", () => {
  const other = Amount.parse("1", "TRX/USDT");
  for (const kind of Object.keys(LEDGER_EFFECTS) as LedgerKind[]) {
    assert.throws(
      () => applyEntry(makeBalance("5", "5"), { kind, amount: other }),
      InvariantError,
      kind,
    );
  }
});

Deno.test("after any history, balance and held are the sums of the accepted entries", () => {
  for (const seed of [21, 22, 23]) {
    const random = seededRandom(seed);
    let current = makeBalance("0", "0");
    let [units, heldUnits] = [0n, 0n];
    let taken = 0;
    for (let i = 0; i < 3000; i++) {
      const kind = random.pick(Object.keys(LEDGER_EFFECTS) as LedgerKind[]);
      const raw = BigInt(random.digits(1 + random.below(20)));
      const amount = Amount.fromRaw(raw, { asset: ASSET, decimals: 18 });
      const next = attempt(() => applyEntry(current, { kind, amount }));
      if (!next) continue;
      taken++;
      current = next;
      units +=
        { credit: raw, adjust: raw, reversal: -raw, debit: -raw, hold: 0n, release: 0n }[kind];
      heldUnits +=
        { hold: raw, release: -raw, debit: -raw, credit: 0n, adjust: 0n, reversal: 0n }[kind];
      assert.equal(current.balance.toRaw(18), units, `seed ${seed}, entry ${i}`);
      assert.equal(current.held.toRaw(18), heldUnits, `seed ${seed}, entry ${i}`);
      assert.ok(heldUnits >= 0n, `seed ${seed}, entry ${i}`);
    }
    assert.ok(taken > 1000, `seed ${seed} took ${taken}`);
  }
});

function attempt(work: () => Balance): Balance | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof InvariantError) return undefined;
    throw error;
  }
}
