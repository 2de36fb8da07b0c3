import { defineTable, int, type RowOf, text } from "./table.ts";

export const UsedSignatures = defineTable("used_signatures", {
  columns: {
    /** Its first half. */
    signature: text(),
    expiresAtMs: int(),
  },
  primary: ["signature"],
});
export type UsedSignatureRow = RowOf<typeof UsedSignatures>;
