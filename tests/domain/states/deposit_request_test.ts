import assert from "node:assert/strict";
import {
  DEPOSIT_REQUEST_STATUSES,
  depositRequestStatus,
  paidSpan,
  windowEnds,
} from "../../../src/deposits/rules/deposit_request.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const AT_MS = 1_767_225_600_000;
const WINDOWS = { displayMs: 3 * HOUR_MS, monitoringMs: 7 * DAY_MS, reuseMs: 7 * DAY_MS };

const EXPIRES_AT_MS = AT_MS + WINDOWS.displayMs;

const ROWS: readonly (readonly [what: string, number, boolean, string])[] = [
  ["just allocated", AT_MS, false, "active"],
  ["in its last millisecond of display", EXPIRES_AT_MS - 1, false, "active"],
  ["whose display window has passed", EXPIRES_AT_MS, false, "expired_for_display"],
  ["long expired", EXPIRES_AT_MS + 400 * DAY_MS, false, "expired_for_display"],
  ["with a credited deposit", AT_MS, true, "settled"],
  ["credited after its display window", EXPIRES_AT_MS + 1, true, "settled"],
];

for (const [what, nowMs, hasCredited, status] of ROWS) {
  Deno.test(`spec 3.3: a deposit request ${what} is ${status}`, () => {
    assert.equal(
      depositRequestStatus({ displayExpiresAtMs: EXPIRES_AT_MS, hasCredited }, nowMs),
      status,
    );
  });
}

Deno.test("spec 3.3: deposit requests have these statuses and no others", () => {
  assert.deepEqual([...DEPOSIT_REQUEST_STATUSES], ["active", "expired_for_display", "settled"]);
});

Deno.test("contract 1: every window starts at the allocation", () => {
  assert.deepEqual(windowEnds(WINDOWS, AT_MS), {
    displayExpiresAtMs: AT_MS + 3 * HOUR_MS,
    monitoredUntilMs: AT_MS + 7 * DAY_MS,
    reusableAtMs: AT_MS + 7 * DAY_MS,
  });
});

Deno.test("contract 1: an address is reusable only past both its monitoring and its reuse window", () => {
  const reusableAfter = (monitoringMs: number, reuseMs: number) =>
    windowEnds({ ...WINDOWS, monitoringMs, reuseMs }, AT_MS).reusableAtMs - AT_MS;
  assert.equal(reusableAfter(7 * DAY_MS, DAY_MS), 7 * DAY_MS);
  assert.equal(reusableAfter(DAY_MS, 7 * DAY_MS), 7 * DAY_MS);
});

const SECOND_MS = 1_000;

/** The request that is paid: 1, 2 (which got the address at AT_MS), or either. */
function paid(blockAtMs: number, tipAgeMs = 5 * SECOND_MS): string {
  const { fromMs, toMs } = paidSpan({ blockAtMs, tipAgeMs });
  const owners = [fromMs, toMs].map((ms) => ms < AT_MS ? 1 : 2);
  return [...new Set(owners)].join(" or ");
}

Deno.test("a payment belongs to the request of its block's time, and is unclear just before a handover", () => {
  assert.equal(paid(AT_MS - DAY_MS), "1");
  assert.equal(paid(AT_MS - 32 * SECOND_MS), "1");
  for (const seconds of [30, 15, 2]) assert.equal(paid(AT_MS - seconds * SECOND_MS), "1 or 2");
  for (const seconds of [0, 1, 60]) assert.equal(paid(AT_MS + seconds * SECOND_MS), "2");
  assert.equal(paid(AT_MS - 999), "2", "Blocks tell whole seconds: it may be of the next one");
});

Deno.test("a newest block minutes old, or ahead of our clock, makes more payments unclear", () => {
  const minutes = (count: number) => 60 * SECOND_MS * count;
  assert.equal(paid(AT_MS - minutes(3), minutes(5)), "1 or 2", "Our clock may be ahead");
  assert.equal(paid(AT_MS - minutes(6), minutes(5)), "1");
  assert.equal(paid(AT_MS + minutes(3), -minutes(5)), "1 or 2", "Ours may be behind");
  assert.equal(paid(AT_MS + minutes(6), -minutes(5)), "2");
  assert.equal(paid(AT_MS + minutes(3), minutes(5)), "2");
  assert.equal(paid(AT_MS - minutes(3), -minutes(5)), "1");
});
