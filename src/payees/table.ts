import { defineTable, int, type RowOf, text } from "../store/tables/table.ts";

/** A removed payee keeps its row, so that adding it again never shortens its waiting time. */
export const Payees = defineTable("payees", {
  columns: {
    id: int(),
    accountId: int(),
    network: text(),
    /** As the network writes it. */
    address: text(),
    label: text(),
    usableAtMs: int(),
    createdAtMs: int(),
    removedAtMs: int().orNull(),
  },
  primary: ["id"],
  unique: { recipient: ["accountId", "network", "address"] },
  isSerial: true,
  isGuarded: true,
  sealedExcept: [],
});
export type PayeeRow = RowOf<typeof Payees>;
