import assert from "node:assert/strict";
import {
  LEDGER_START,
  type WalkedEntry,
  walkLedger,
} from "../../../src/books/rules/ledger_walk.ts";

const asset = "ETH/USDT";

function entry(id: number, text: string): WalkedEntry {
  const [kind, amount, balanceAfter, heldAfter] = text.split(" ");
  return { id, kind, amount, balanceAfter, heldAfter } as WalkedEntry;
}

const LEDGER = [
  entry(3, "credit 10 10 0"),
  entry(4, "hold 2.5 10 2.5"),
  entry(7, "release 2.5 10 0"),
  entry(8, "hold 3 10 3"),
  entry(9, "debit 3 7 0"),
  entry(11, "reversal 10 -3 0"),
  entry(12, "adjust -0.000000000000000001 -3.000000000000000001 0"),
];

Deno.test("every kind of entry is added up to the last digit, in one walk or in several", () => {
  const end = { entryId: 12, balance: "-3.000000000000000001", held: "0" };
  const whole = walkLedger(LEDGER_START, { entries: LEDGER, asset });
  assert.deepEqual(whole, { mark: end, wrong: undefined });
  for (let cut = 0; cut <= LEDGER.length; cut++) {
    const first = walkLedger(LEDGER_START, { entries: LEDGER.slice(0, cut), asset });
    const second = walkLedger(first.mark, { entries: LEDGER.slice(cut), asset });
    assert.deepEqual(second, whole, `cut at ${cut}`);
  }
});

Deno.test("a walk stops at the first entry that is missing, changed or has a wrong sum", () => {
  for (const [i, before] of LEDGER.entries()) {
    const changed = LEDGER.with(i, { ...before, amount: `${before.amount}1` });
    const found = walkLedger(LEDGER_START, { entries: changed, asset });
    assert.equal(found.wrong?.entry.id, before.id);
    assert.equal(found.mark.entryId, LEDGER[i - 1]?.id ?? 0);
  }
  const { wrong, mark } = walkLedger(LEDGER_START, { entries: LEDGER.toSpliced(1, 1), asset });
  assert.equal(mark.entryId, 3);
  assert.equal(wrong?.entry.id, 7);
  assert.deepEqual(wrong.should, { entryId: 7, balance: "10", held: "-2.5" });
});
