import { defineTable } from "./table.ts";

/** An operator has looked: what failed up to then counts no longer. */
export interface AllowedRecipientRow {
  readonly accountId: number;
  readonly network: string;
  readonly address: string;
  readonly allowedAtMs: number;
}

export const AllowedRecipients = defineTable<AllowedRecipientRow>("allowed_recipients", {
  columns: { accountId: "int", network: "text", address: "text", allowedAtMs: "int" },
  primary: ["accountId", "network", "address"],
});
