import type { Role } from "../rules/roles.ts";
import type { Passkey } from "../rules/second_factors.ts";
import { bool, defineTable, int, json, type RowOf, text } from "../../store/tables/table.ts";

/** Binds a sealed secret to its row. */
export function totpContext(userId: number): string {
  return `users.totp:${userId}`;
}

export const Users = defineTable("users", {
  columns: {
    id: int(),
    /** In lower case. It may have a login in each account, and one of the whole gateway. */
    email: text(),
    role: text<Role>(),
    /** Null: the role sees every account. */
    accountId: int().orNull(),
    /** Null until it is chosen through a set-up link. */
    passwordHash: text().orNull(),
    totpSealed: text().orNull(),
    totpStep: int(),
    recoveryHashes: json<readonly string[]>(),
    /** Sessions of an earlier generation are over. */
    generation: int(),
    createdAtMs: int(),
    disabledAtMs: int().orNull(),
    /** Null: an operator, so only operators enable it again. */
    disabledBy: text<"account">().orNull(),
    /** Here rather than in rows of their own, so that none can be added, changed or put back alone. */
    passkeys: json<readonly Passkey[]>().orNull(),
  },
  primary: ["id"],
  unique: { email: ["email", "accountId"] },
  isSerial: true,
  encrypted: { totpSealed: ({ id }) => totpContext(id) },
  isGuarded: true,
  sealedExcept: [],
});
export type UserRow = RowOf<typeof Users>;

export const Sessions = defineTable("sessions", {
  columns: {
    id: int(),
    tokenHash: text(),
    userId: int(),
    generation: int(),
    /** code: the password was right, the second factor is still missing. */
    stage: text<"code" | "open">(),
    ip: text(),
    userAgent: text(),
    createdAtMs: int(),
    seenAtMs: int(),
    /** When a password, code or passkey was last given. */
    provenAtMs: int(),
    endsAtMs: int(),
    /** When the last challenge that a passkey answered was made. */
    challengeUsedMs: int().orNull(),
  },
  primary: ["id"],
  unique: { token: ["tokenHash"] },
  isSerial: true,
  isGuarded: true,
  sealedExcept: [],
});
export type SessionRow = RowOf<typeof Sessions>;

/** The slot of the link that creates the first operator. */
export const FIRST_OPERATOR = "first";

export const SetUpLinks = defineTable("set_up_links", {
  columns: {
    slot: text(),
    tokenHash: text(),
    endsAtMs: int(),
  },
  primary: ["slot"],
  unique: { token: ["tokenHash"] },
  isGuarded: true,
  sealedExcept: [],
});
export type SetUpLinkRow = RowOf<typeof SetUpLinks>;

export const Throttles = defineTable("throttles", {
  columns: {
    name: text(),
    tries: int(),
    endsAtMs: int(),
  },
  primary: ["name"],
});

/** A single row, once anything was set for the whole installation. */
export const Settings = defineTable("settings", {
  columns: {
    id: int(),
    /** Of operators, approvers and auditors. */
    requiresSecondFactor: bool(),
    /** Whether a second person must approve some changes of theirs; null: no. */
    dualControl: bool().orNull(),
  },
  primary: ["id"],
  isGuarded: true,
  sealedExcept: [],
});
export type SettingsRow = RowOf<typeof Settings>;

export const USER_TABLES = [Settings, Users, Sessions, SetUpLinks, Throttles];
