import type { SweepCode } from "../domain/reason_codes.ts";
import type { SweepState } from "./rules/sweep_moves.ts";
import { defineTable, int, type RowOf, text } from "../store/tables/table.ts";

export const Sweeps = defineTable("sweeps", {
  columns: {
    id: int(),
    accountId: int(),
    network: text(),
    currency: text(),
    addressId: int(),
    state: text<SweepState>(),
    open: int<1>().orNull(),
    /** For people. */
    reason: text().orNull(),
    failures: int(),
    /** How often its order failed in a batch. */
    batchFailures: int(),
    nextTryAtMs: int(),
    createdAtMs: int(),
    code: text<SweepCode>().orNull(),
  },
  primary: ["id"],
  unique: { open: ["addressId", "currency", "open"] },
  isSerial: true,
  sealedExcept: ["reason", "failures", "batchFailures", "nextTryAtMs", "code"],
});
export type SweepRow = RowOf<typeof Sweeps>;
