import type { AuditRow } from "../../../src/audit/table.ts";
import type { SessionRow, UserRow } from "../../../src/access/tables/users.ts";
import { NOW_MS } from "./make_rows.ts";
import type { AnyRow } from "../../../src/store/tables/table.ts";

type Some<Row extends AnyRow & { id: number }> = Partial<Row> & Pick<Row, "id">;

export function makeAudit(options: Some<AuditRow>): AuditRow {
  return {
    atMs: NOW_MS,
    actor: "cli",
    ip: null,
    action: "a",
    subject: "s",
    detail: {},
    hash: null,
    ...options,
  };
}

export function makeUser(options: Some<UserRow>): UserRow {
  return {
    email: `u${options.id}@example.com`,
    role: "operator",
    accountId: null,
    passwordHash: null,
    totpSealed: null,
    totpStep: 0,
    recoveryHashes: ["h1", "h2"],
    generation: 1,
    createdAtMs: NOW_MS,
    disabledAtMs: null,
    disabledBy: null,
    passkeys: null,
    ...options,
  };
}

export function makeSession(options: Some<SessionRow>): SessionRow {
  return {
    tokenHash: `t${options.id}`,
    userId: 1,
    generation: 1,
    stage: "open",
    ip: "::1",
    userAgent: "a browser",
    createdAtMs: NOW_MS,
    seenAtMs: NOW_MS,
    provenAtMs: NOW_MS,
    endsAtMs: NOW_MS,
    challengeUsedMs: null,
    ...options,
  };
}
