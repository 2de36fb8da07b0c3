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
