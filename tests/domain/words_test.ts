import assert from "node:assert/strict";
import { EVENT_TYPES } from "../../src/webhooks/rules/events.ts";
import { isPermission, PERMISSIONS } from "../../src/access/rules/permissions.ts";
import { isoUtc, isoUtcOrNull } from "../../src/domain/time.ts";
import { seededRandom } from "./random.ts";

/** Spec 4: the permissions of its endpoints. */
const PERMISSIONS_OF_SPEC = [
  "read_balance",
  "list_currencies",
  "request_deposit_address",
  "read_deposit_status",
  "withdraw",
  "read_withdrawal_status",
  "list_transactions",
  "request_withdrawal_funding_address",
];

Deno.test("spec 4: the permissions are those that the endpoints ask for", () => {
  assert.deepEqual(
    [...PERMISSIONS].toSorted(),
    [...PERMISSIONS_OF_SPEC, "manage_webhooks", "manage_invoices", "read_invoices"].toSorted(),
  );
  assert.ok(PERMISSIONS_OF_SPEC.every(isPermission));
});

Deno.test("a word that names no permission isn't one", () => {
  for (const text of ["", "all", "Withdraw", "withdraw ", "toString", "constructor", "0"]) {
    assert.equal(isPermission(text), false, text);
  }
});

Deno.test("contract 4: the event types are those of the table", () => {
  assert.deepEqual([...EVENT_TYPES], [
    "deposit.detected",
    "deposit.confirmed",
    "withdrawal.broadcasted",
    "withdrawal.confirmed",
    "withdrawal.failed",
    "withdrawal.approval_required",
    "withdrawal.cancelled",
    "invoice.processing",
    "invoice.paid",
    "invoice.underpaid",
    "invoice.expired",
    "invoice.cancelled",
    "invoice.reversed",
  ]);
});

const TIMES: readonly (readonly [number, string])[] = [
  [0, "1970-01-01T00:00:00+00:00"],
  [Date.UTC(2026, 0, 31, 12), "2026-01-31T12:00:00+00:00"],
  [Date.UTC(2026, 0, 31, 12, 34, 56, 999), "2026-01-31T12:34:56+00:00"],
  [Date.UTC(2028, 1, 29, 23, 59, 59), "2028-02-29T23:59:59+00:00"],
];

for (const [ms, text] of TIMES) {
  Deno.test(`spec 1: the time ${ms} is written ${text}`, () => {
    assert.equal(isoUtc(ms), text);
    assert.equal(isoUtcOrNull(ms), text);
  });
}

Deno.test("any time is written as the system writes it, whatever was written before", () => {
  const random = seededRandom(20260131);
  for (let n = 0; n < 20_000; n++) {
    // Days apart, or seconds around the last one's midnight.
    const day = random.below(40_000) - 5_000;
    for (const ms of [-1, 0, 999, 1_000, random.below(86_400_000), 86_399_999]) {
      const atMs = day * 86_400_000 + ms;
      assert.equal(isoUtc(atMs), `${new Date(atMs).toISOString().slice(0, 19)}+00:00`);
    }
  }
  assert.throws(() => isoUtc(NaN), RangeError);
});

Deno.test("a time that hasn't come is null", () => {
  assert.equal(isoUtcOrNull(null), null);
});
