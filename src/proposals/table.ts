import { apiSecretContext } from "../access/tables/keys.ts";
import type { ProposalState } from "./rules.ts";
import { defineTable, int, json, type RowOf, text } from "../store/tables/table.ts";

/** A change that waits for a second person, with exactly what will be done. */
export const Proposals = defineTable("proposals", {
  columns: {
    id: int(),
    /** Of one of the changes that dual control covers, which says what is in `wanted`. */
    kind: text(),
    wanted: json<object>(),
    /** Null: it concerns the whole installation. */
    accountId: int().orNull(),
    /** Approved only while this is still so. */
    before: json<object>().orNull(),
    after: json<object>().orNull(),
    /** Of a new login, whose password or link was shown to whoever asked. */
    passwordHash: text().orNull(),
    linkHash: text().orNull(),
    /** Of a new key: whoever asked was shown the start of its secret. Otherwise empty. */
    keyId: text(),
    secretSealed: text().orNull(),
    /** "user:7", or "cli" if a command didn't say who. */
    askedBy: text(),
    askedIp: text().orNull(),
    state: text<ProposalState>(),
    decidedBy: text().orNull(),
    decidedAtMs: int().orNull(),
    reason: text().orNull(),
    open: int<1>().orNull(),
    createdAtMs: int(),
    expiresAtMs: int(),
  },
  primary: ["id"],
  isSerial: true,
  encrypted: { secretSealed: ({ keyId }) => apiSecretContext(keyId) },
  isGuarded: true,
  sealedExcept: [],
});
export type ProposalRow = RowOf<typeof Proposals>;
