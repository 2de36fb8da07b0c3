import type { Condition, Each, RuleOutcome } from "./rules/rules.ts";
import { bool, defineTable, int, json, type RowOf, text } from "../store/tables/table.ts";

export const Policies = defineTable("policies", {
  columns: {
    id: int(),
    label: text(),
    accountId: int().orNull(),
    keyId: text().orNull(),
    network: text().orNull(),
    currency: text().orNull(),
    each: text<Each>().orNull(),
    condition: text<Condition>(),
    cap: text().orNull(),
    outcome: text<RuleOutcome>(),
    approvals: int(),
    expiresMs: int(),
    /** Who set it decides who may approve: an operator's rule, or one of the account itself. */
    setBy: text<"operator" | "merchant">(),
    isActive: bool(),
    /** False while earlier payments are still being counted for it. */
    isReady: bool(),
    /** What counts its payments; rules with the same scope share one. Null: it needs none. */
    meterId: int().orNull(),
    /** The meter knows every payment since then. */
    meteredFromMs: int().orNull(),
    createdAtMs: int(),
    /** The currency in which it limits amounts; null: their own. */
    quote: text().orNull(),
    /** What each currency was worth then: for payments whose value wasn't noted. */
    rates: json<Readonly<Record<string, string>>>().orNull(),
  },
  primary: ["id"],
  isSerial: true,
  isGuarded: true,
  sealedExcept: [],
});
export type PolicyRow = RowOf<typeof Policies>;

/** A single row that changes with every rule, so that a unit sees whether it knows them all. */
export const PolicyBooks = defineTable("policy_books", {
  columns: {
    id: int(),
    version: int(),
    /** A hash of all rules: one that is deleted or set back is noticed. */
    rulesHash: text(),
  },
  primary: ["id"],
  isGuarded: true,
  sealedExcept: [],
});
export type PolicyBookRow = RowOf<typeof PolicyBooks>;

/** A single row: ledger entries up to here were taken out of the meters if they are releases. */
export const PolicyCursor = defineTable("policy_cursor", {
  columns: { id: int(), entryId: int() },
  primary: ["id"],
  sealedExcept: [],
});

/** The running totals of one meter, for one of the values that it splits by. */
export const PolicyMeters = defineTable("policy_meters", {
  columns: {
    meterId: int(),
    split: text(),
    added: text(),
    addedCount: int(),
    removed: text(),
    removedCount: int(),
    /** Rises when a payment is taken out that may be older than a window. */
    revision: int(),
    lastMarkMs: int(),
    /** The newest ledger entry that was taken out: none is taken out twice. */
    releasedTo: int().orNull(),
  },
  primary: ["meterId", "split"],
  sealedExcept: [],
});
export type PolicyMeterRow = RowOf<typeof PolicyMeters>;

/** What a meter had added up before the payments of one moment. */
export const PolicyMarks = defineTable("policy_marks", {
  columns: {
    id: int(),
    meterId: int(),
    split: text(),
    atMs: int(),
    added: text(),
    /** Negative for payments from before the meter. */
    addedCount: int(),
    /** The time of the mark before it, so that a deleted one is missed; null in older rows. */
    previousAtMs: int().orNull(),
  },
  primary: ["id"],
  isSerial: true,
  sealedExcept: [],
});
export type PolicyMarkRow = RowOf<typeof PolicyMarks>;

/** What was taken out of a meter, by the times at which it had counted. */
export const PolicyRemovals = defineTable("policy_removals", {
  columns: {
    meterId: int(),
    split: text(),
    spanMs: int(),
    startsAtMs: int(),
    amount: text(),
    payments: int(),
  },
  primary: ["meterId", "split", "spanMs", "startsAtMs"],
  sealedExcept: [],
});
export type PolicyRemovalRow = RowOf<typeof PolicyRemovals>;

export const POLICY_TABLES = [
  Policies,
  PolicyBooks,
  PolicyCursor,
  PolicyMeters,
  PolicyMarks,
  PolicyRemovals,
];
