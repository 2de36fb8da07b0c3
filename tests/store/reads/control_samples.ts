import { ApprovalRequests, Approvals } from "../../../src/approvals/table.ts";
import { Payees } from "../../../src/payees/table.ts";
import { Proposals } from "../../../src/proposals/table.ts";
import * as policies from "../../../src/policies/table.ts";
import { RateReadings, RateSources } from "../../../src/rates/table.ts";
import type { AnyRow, Table } from "../../../src/store/tables/table.ts";
import { HARD_TEXTS, LONG_AMOUNT, NOW_MS } from "./make_rows.ts";

interface Sample {
  readonly table: Table<AnyRow>;
  readonly row: AnyRow;
}

const METER = { meterId: 1_000_000, split: "" };

export const CONTROL_SAMPLES: readonly Sample[] = [
  ...samples(RateSources, [
    {
      ...{ id: 1, base: "ETH", quote: "USD", kind: "manual", value: LONG_AMOUNT, network: null },
      ...{ feed: null, url: null, pointer: null, maxAgeMs: null, createdAtMs: NOW_MS },
    },
    {
      ...{ id: 2, base: "ETH", quote: "USD", kind: "http", value: null, network: "ETH" },
      ...{ feed: "0xaa", url: "https://x.com", pointer: HARD_TEXTS[1]!, maxAgeMs: 60_000 },
      createdAtMs: NOW_MS,
    },
  ]),
  ...samples(RateReadings, [
    {
      ...{ source: "ETH/0xaa", value: LONG_AMOUNT, atMs: NOW_MS, error: null },
      failingSinceMs: null,
    },
    {
      ...{ source: "http/2", value: null, atMs: null, error: HARD_TEXTS[2]! },
      failingSinceMs: NOW_MS,
    },
  ]),
  ...samples(policies.Policies, [
    {
      ...{ id: 1, label: HARD_TEXTS[1]!, accountId: 1, keyId: "k1", network: "ETH" },
      ...{ currency: "USDT", each: "recipient", condition: "max_day", cap: LONG_AMOUNT },
      ...{ outcome: "approve", approvals: 2, expiresMs: 5, setBy: "merchant", isActive: true },
      ...{ isReady: false, meterId: 1_000_000, meteredFromMs: NOW_MS, createdAtMs: NOW_MS },
      ...{ quote: "USD", rates: { USDT: LONG_AMOUNT } },
    },
    {
      ...{ id: 2, label: "x", accountId: null, keyId: null, network: null, currency: null },
      ...{ each: null, condition: "always", cap: null, outcome: "refuse", approvals: 1 },
      ...{ expiresMs: 5, setBy: "operator", isActive: false, isReady: true, meterId: null },
      ...{ meteredFromMs: null, createdAtMs: NOW_MS, quote: null, rates: null },
    },
  ]),
  ...samples(policies.PolicyBooks, [{ id: 1, version: 7, rulesHash: "00ff" }]),
  ...samples(policies.PolicyCursor, [{ id: 1, entryId: 7 }]),
  ...samples(
    policies.PolicyMeters,
    [7, null].map((releasedTo) => ({
      ...METER,
      ...{ split: String(releasedTo), added: LONG_AMOUNT, addedCount: 3, removed: "1" },
      ...{ removedCount: 1, revision: 1, lastMarkMs: NOW_MS, releasedTo },
    })),
  ),
  ...samples(policies.PolicyMarks, [
    { id: 1, ...METER, atMs: NOW_MS, added: "-1.5", addedCount: -1, previousAtMs: null },
    { id: 2, ...METER, atMs: NOW_MS, added: "1", addedCount: 2, previousAtMs: NOW_MS },
  ]),
  ...samples(policies.PolicyRemovals, [
    { ...METER, spanMs: 60_000, startsAtMs: NOW_MS, amount: LONG_AMOUNT, payments: 1 },
  ]),
  ...samples(Payees, [
    {
      ...{ id: 1, accountId: 1, network: "ETH", address: "0xaa", label: HARD_TEXTS[2]! },
      ...{ usableAtMs: NOW_MS, createdAtMs: NOW_MS, removedAtMs: null },
    },
    {
      ...{ id: 2, accountId: 1, network: "ETH", address: "0xbb", label: "x" },
      ...{ usableAtMs: NOW_MS, createdAtMs: NOW_MS, removedAtMs: NOW_MS },
    },
  ]),
];

export const PROPOSAL_SAMPLES: readonly Sample[] = [
  ...samples(Proposals, [
    {
      ...{ id: 1, kind: "key.create", accountId: 1, before: null, after: { x: HARD_TEXTS[1]! } },
      ...{ wanted: { id: 7 }, passwordHash: "a", linkHash: "b", keyId: "k1", secretSealed: "s" },
      ...{ askedBy: "user:7", askedIp: "::1", state: "rejected", decidedBy: "cli" },
      ...{ decidedAtMs: NOW_MS, reason: HARD_TEXTS[2]!, open: null },
      ...{ createdAtMs: NOW_MS, expiresAtMs: NOW_MS },
    },
    {
      ...{ id: 2, kind: "policy.remove", accountId: null, before: { a: [1] }, after: null },
      ...{ wanted: { id: 7 }, passwordHash: null, linkHash: null, keyId: "", secretSealed: null },
      ...{ askedBy: "cli", askedIp: null, state: "waiting", decidedBy: null },
      ...{ decidedAtMs: null, reason: null, open: 1, createdAtMs: NOW_MS, expiresAtMs: NOW_MS },
    },
  ]),
];

/** They name withdrawals. */
export const APPROVAL_SAMPLES: readonly Sample[] = [
  ...samples(ApprovalRequests, [
    {
      ...{ withdrawalId: 1, accountId: 1, needed: 2, given: 1, requestedBy: "user:7" },
      ...{ rules: [{ policy_id: 1, label: HARD_TEXTS[3]! }], decidedBy: "operator" },
      ...{ requestedIp: "::1", countedAtMs: NOW_MS, expiresAtMs: NOW_MS, open: 1 },
      createdAtMs: NOW_MS,
    },
    {
      ...{ withdrawalId: 2, accountId: 1, needed: 1, given: 0, requestedBy: null },
      ...{ rules: [], decidedBy: "merchant", requestedIp: null, countedAtMs: NOW_MS },
      ...{ expiresAtMs: NOW_MS, open: null, createdAtMs: NOW_MS },
    },
  ]),
  ...samples(Approvals, [
    { id: 1, withdrawalId: 1, person: "user:7", approvedAtMs: NOW_MS },
  ]),
];

function samples<Row extends AnyRow>(table: Table<Row>, list: readonly Row[]): Sample[] {
  return list.map((row) => ({ table: table as Table<AnyRow>, row }));
}
