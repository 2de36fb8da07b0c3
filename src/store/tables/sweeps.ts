import type { SweepState } from "../../domain/states/sweep_moves.ts";
import { defineTable, int, type RowOf, text } from "./table.ts";

export const Sweeps = defineTable("sweeps", {
  columns: {
    id: int(),
    accountId: int(),
    network: text(),
    currency: text(),
    addressId: int(),
    state: text<SweepState>(),
    open: int<1>().orNull(),
    reason: text().orNull(),
    failures: int(),
    nextTryAtMs: int(),
    createdAtMs: int(),
  },
  primary: ["id"],
  unique: { open: ["addressId", "currency", "open"] },
  isSerial: true,
  unguarded: ["reason", "failures", "nextTryAtMs"],
});
export type SweepRow = RowOf<typeof Sweeps>;
