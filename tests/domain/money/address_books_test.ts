import assert from "node:assert/strict";
import { addressBooks, coveredBy, isStillThere } from "../../../src/domain/money/address_books.ts";

const TOKEN = "0xT";

Deno.test("an address has what was credited, minus what it moved on and its fees", () => {
  const books = addressBooks({
    deposits: [
      { contract: null, amountRaw: 100n, isCredited: true, isSwept: false, isAnchored: true },
      { contract: null, amountRaw: 40n, isCredited: false, isSwept: false, isAnchored: true },
      { contract: null, amountRaw: 7n, isCredited: true, isSwept: false, isAnchored: false },
      { contract: TOKEN, amountRaw: 25n, isCredited: true, isSwept: true, isAnchored: true },
      { contract: TOKEN, amountRaw: 5n, isCredited: true, isSwept: false, isAnchored: true },
    ],
    topUpsRaw: [9n],
    spends: [
      { contract: TOKEN, amountRaw: 25n, feeRaw: 3n, hasMoved: true },
      { contract: TOKEN, amountRaw: 5n, feeRaw: 2n, hasMoved: false },
      { contract: null, amountRaw: 60n, feeRaw: 1n, hasMoved: true },
    ],
  });
  assert.deepEqual(
    books,
    new Map([
      [null, {
        creditedRaw: 100n + 9n - 60n - 6n,
        seenRaw: 140n + 9n - 60n - 6n,
        orphanedRaw: 7n,
        feesRaw: 6n,
        leftRaw: -60n - 6n,
      }],
      [TOKEN, { creditedRaw: 5n, seenRaw: 5n, orphanedRaw: 0n, feesRaw: 0n, leftRaw: 0n }],
    ]),
  );
});

const moved = (amountRaw: bigint, feeRaw = 0n) => ({
  ...{ contract: null, amountRaw, feeRaw, hasMoved: true },
});
for (
  const [what, isSwept, topUpsRaw, spends, leftRaw] of [
    ["nothing once both were moved", [true, true], [], [moved(200n)], 0n],
    ["one that counts as swept and wasn't moved", [true, true], [], [moved(100n)], 100n],
    ["nothing of what waits for its sweep", [true, false], [], [moved(100n)], 0n],
    ["less than nothing before a sweep is final", [false, false], [], [moved(200n)], -200n],
    ["nothing of what its fee took", [true, true], [], [moved(190n, 10n)], 0n],
    ["no gas that was sent for its fee", [true, true], [30n], [moved(200n, 10n)], -10n],
  ] as const
) {
  Deno.test(`an address of two deposits has left of what counts as swept: ${what}`, () => {
    const deposits = isSwept.map((isSwept) => ({
      ...{ contract: null, amountRaw: 100n, isCredited: true, isAnchored: true },
      isSwept,
    }));
    assert.equal(addressBooks({ deposits, topUpsRaw, spends }).get(null)!.leftRaw, leftRaw);
  });
}

Deno.test("items are covered in order as long as there is room", () => {
  const covered = (room: bigint, items: bigint[]) =>
    coveredBy(room, { items, rawOf: (raw) => raw });
  assert.deepEqual(covered(10n, [4n, 6n]), [4n, 6n]);
  assert.deepEqual(covered(10n, [4n, 7n, 6n]), [4n, 6n]);
  assert.deepEqual(covered(9n, [10n]), []);
  assert.deepEqual(covered(-1n, [1n]), []);
});

const waiting = {
  contract: null,
  amountRaw: 100n,
  isCredited: false,
  isSwept: false,
  isAnchored: true,
};
const credited = { ...waiting, isCredited: true };
const swept = { contract: null, amountRaw: 98n, feeRaw: 2n, hasMoved: true };

for (
  const [what, deposits, spends, foundRaw, isThere] of [
    ["its coins alone", [waiting], [], 100n, true],
    ["less than its coins", [waiting], [], 99n, false],
    ["coins of one that was credited and not swept", [waiting, credited], [], 100n, false],
    ["both their coins", [waiting, credited], [], 200n, true],
    ["its coins, after the other was swept", [waiting, credited], [swept], 100n, true],
    ["nothing, after it was swept itself and its credit erased", [waiting], [swept], 0n, false],
    ["coins that another one waits for too", [waiting, waiting], [], 100n, false],
    [
      "its coins less the gas of a sweep of tokens",
      [waiting],
      [{ contract: TOKEN, amountRaw: 5n, feeRaw: 3n, hasMoved: true }],
      97n,
      true,
    ],
    [
      "coins of one that is in no block now",
      [waiting, { ...credited, isAnchored: false }],
      [],
      199n,
      false,
    ],
  ] as const
) {
  Deno.test(`an address that holds ${what} ${isThere ? "covers" : "doesn't cover"} a vouched deposit`, () => {
    const booked = addressBooks({ deposits, spends, topUpsRaw: [] }).get(null)!;
    assert.equal(isStillThere(booked, { foundRaw, amountRaw: 100n, isNative: true }), isThere);
  });
}

Deno.test("other deposits of a token that wait don't keep a vouched one from being credited", () => {
  const token = { ...waiting, contract: TOKEN };
  const booked = addressBooks({ deposits: [token, token], spends: [], topUpsRaw: [] }).get(TOKEN)!;
  const facts = { amountRaw: 100n, isNative: false };
  assert.equal(isStillThere(booked, { ...facts, foundRaw: 100n }), true);
  assert.equal(isStillThere(booked, { ...facts, foundRaw: 99n }), false);
});
