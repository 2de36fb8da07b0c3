import { defineTable, int, type RowOf, text } from "./table.ts";

export const UsedSignatures = defineTable("used_signatures", {
  columns: {
    /** The first half of it. */
    signature: text(),
    expiresAtMs: int(),
  },
  primary: ["signature"],
});
export type UsedSignatureRow = RowOf<typeof UsedSignatures>;

/** What a request with an idempotency key was answered, for the same request again. */
export const RepeatedRequests = defineTable("repeated_requests", {
  columns: {
    keyId: text(),
    path: text(),
    idempotencyKey: text(),
    bodyHash: text(),
    /** Null while it is in progress, and for good if the program died meanwhile. */
    status: int().orNull(),
    /** Null with a status: nobody knows whether it was done. */
    answerSealed: text().orNull(),
    createdAtMs: int(),
  },
  primary: ["keyId", "path", "idempotencyKey"],
  encrypted: { answerSealed: answerContext },
});
export type RepeatedRequestRow = RowOf<typeof RepeatedRequests>;

/** Binds a sealed answer to its request. */
export function answerContext(
  { keyId, path, idempotencyKey }: {
    readonly keyId: string;
    readonly path: string;
    readonly idempotencyKey: string;
  },
): string {
  return `repeated_requests.answer:${JSON.stringify([keyId, path, idempotencyKey])}`;
}
