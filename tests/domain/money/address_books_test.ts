import assert from "node:assert/strict";
import { addressBooks, coveredBy } from "../../../src/domain/money/address_books.ts";

const TOKEN = "0xT";

Deno.test("an address has what was credited, minus what it moved on and its fees", () => {
  const books = addressBooks({
    deposits: [
      { contract: null, amountRaw: 100n, isCredited: true, isAnchored: true },
      { contract: null, amountRaw: 40n, isCredited: false, isAnchored: true },
      { contract: null, amountRaw: 7n, isCredited: true, isAnchored: false },
      { contract: TOKEN, amountRaw: 25n, isCredited: true, isAnchored: true },
      { contract: TOKEN, amountRaw: 5n, isCredited: true, isAnchored: true },
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
      [null, { creditedRaw: 100n + 9n - 60n - 6n, seenRaw: 140n + 9n - 60n - 6n, orphanedRaw: 7n }],
      [TOKEN, { creditedRaw: 5n, seenRaw: 5n, orphanedRaw: 0n }],
    ]),
  );
});

Deno.test("items are covered in order as long as there is room", () => {
  const covered = (room: bigint, items: bigint[]) =>
    coveredBy(room, { items, rawOf: (raw) => raw });
  assert.deepEqual(covered(10n, [4n, 6n]), [4n, 6n]);
  assert.deepEqual(covered(10n, [4n, 7n, 6n]), [4n, 6n]);
  assert.deepEqual(covered(9n, [10n]), []);
  assert.deepEqual(covered(-1n, [1n]), []);
});
