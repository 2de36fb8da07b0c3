import { defineTable } from "./table.ts";

export interface UsedSignatureRow {
  /** Its first half. */
  readonly signature: string;
  readonly expiresAtMs: number;
}

export const UsedSignatures = defineTable<UsedSignatureRow>("used_signatures", {
  columns: { signature: "text", expiresAtMs: "int" },
  primary: ["signature"],
});
