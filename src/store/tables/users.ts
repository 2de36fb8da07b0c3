import { defineTable } from "./table.ts";

export const ROLES = ["operator", "merchant"] as const;
export type Role = typeof ROLES[number];

export interface UserRow {
  readonly id: number;
  /** In lower case. */
  readonly email: string;
  readonly role: Role;
  /** A merchant's own; null for operators, who see all. */
  readonly accountId: number | null;
  /** Null until it is chosen through a set-up link. */
  readonly passwordHash: string | null;
  readonly totpSealed: string | null;
  readonly totpStep: number;
  readonly recoveryHashes: readonly string[];
  /** Sessions of an earlier generation are over. */
  readonly generation: number;
  readonly createdAtMs: number;
  readonly disabledAtMs: number | null;
}

/** Binds a sealed secret to its row. */
export function totpContext(userId: number): string {
  return `users.totp:${userId}`;
}

export const Users = defineTable<UserRow>("users", {
  columns: {
    id: "int",
    email: "text",
    role: "text",
    accountId: "int",
    passwordHash: "text",
    totpSealed: "text",
    totpStep: "int",
    recoveryHashes: "json",
    generation: "int",
    createdAtMs: "int",
    disabledAtMs: "int",
  },
  primary: ["id"],
  unique: { email: ["email"] },
  isSerial: true,
  sealed: { totpSealed: ({ id }) => totpContext(id) },
  unguarded: [],
});

export interface SessionRow {
  readonly id: number;
  readonly tokenHash: string;
  readonly userId: number;
  readonly generation: number;
  /** code: the password was right, the code is still to come. */
  readonly stage: "code" | "open";
  readonly ip: string;
  readonly userAgent: string;
  readonly createdAtMs: number;
  readonly seenAtMs: number;
  /** When password or code were last given. */
  readonly provenAtMs: number;
  readonly endsAtMs: number;
}

export const Sessions = defineTable<SessionRow>("sessions", {
  columns: {
    id: "int",
    tokenHash: "text",
    userId: "int",
    generation: "int",
    stage: "text",
    ip: "text",
    userAgent: "text",
    createdAtMs: "int",
    seenAtMs: "int",
    provenAtMs: "int",
    endsAtMs: "int",
  },
  primary: ["id"],
  unique: { token: ["tokenHash"] },
  isSerial: true,
  unguarded: [],
});

export interface SetUpLinkRow {
  readonly slot: string;
  readonly tokenHash: string;
  readonly endsAtMs: number;
}

/** The slot of the link that makes the first operator. */
export const FIRST_OPERATOR = "first";

export const SetUpLinks = defineTable<SetUpLinkRow>("set_up_links", {
  columns: { slot: "text", tokenHash: "text", endsAtMs: "int" },
  primary: ["slot"],
  unique: { token: ["tokenHash"] },
  unguarded: [],
});

export interface ThrottleRow {
  readonly name: string;
  readonly tries: number;
  readonly endsAtMs: number;
}

export const Throttles = defineTable<ThrottleRow>("throttles", {
  columns: { name: "text", tries: "int", endsAtMs: "int" },
  primary: ["name"],
});

export const USER_TABLES = [Users, Sessions, SetUpLinks, Throttles];
