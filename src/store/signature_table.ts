import type * as rows from "./rows.ts";
import { defineTable } from "./table.ts";

export const UsedSignatures = defineTable<rows.UsedSignatureRow>("used_signatures", {
  columns: { signature: "text", expiresAtMs: "int" },
  primary: ["signature"],
});
