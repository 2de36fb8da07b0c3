import { defineTable, int, type RowOf } from "../../store/tables/table.ts";

/** How much was stored for an account on the day when something was last stored for it. */
export const StorageUses = defineTable("storage_uses", {
  columns: {
    accountId: int(),
    dayMs: int(),
    /** Of everything but payouts. */
    bytes: int(),
    payoutBytes: int(),
  },
  primary: ["accountId"],
});
export type StorageUseRow = RowOf<typeof StorageUses>;
