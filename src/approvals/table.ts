import { defineTable, int, json, type RowOf, text } from "../store/tables/table.ts";

/** What a withdrawal needs before it may be signed; the withdrawal itself says that it waits. */
export const ApprovalRequests = defineTable("approval_requests", {
  columns: {
    withdrawalId: int(),
    accountId: int(),
    needed: int(),
    /** How many have approved it. */
    given: int(),
    /** The rules that asked for it. */
    rules: json<readonly { readonly policy_id: number; readonly label: string }[]>(),
    /** operator: a rule of an operator asked, so only operators and approvers decide. */
    decidedBy: text<"operator" | "merchant">(),
    /** Who asked for the payment, as in the audit log; null: nobody that the books know. */
    requestedBy: text().orNull(),
    requestedIp: text().orNull(),
    /** The later of the request and the last approval: from then on it counts. */
    countedAtMs: int(),
    expiresAtMs: int(),
    /** 1 while it waits, then null. */
    open: int<1>().orNull(),
    createdAtMs: int(),
  },
  primary: ["withdrawalId"],
  sealedExcept: [],
});
export type ApprovalRequestRow = RowOf<typeof ApprovalRequests>;

export const Approvals = defineTable("approvals", {
  columns: {
    id: int(),
    withdrawalId: int(),
    /** "user:7", or "cli" for all commands that name nobody. */
    person: text(),
    approvedAtMs: int(),
  },
  primary: ["id"],
  unique: { person: ["withdrawalId", "person"] },
  isSerial: true,
  sealedExcept: [],
});
export type ApprovalRow = RowOf<typeof Approvals>;
