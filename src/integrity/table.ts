import { defineTable, int, type RowOf, text } from "../store/tables/table.ts";

/** A single row, which exists while nothing is signed. */
export const Stops = defineTable("stops", {
  columns: {
    id: int(),
    reason: text().orNull(),
    stoppedAtMs: int(),
  },
  primary: ["id"],
});
export type StopRow = RowOf<typeof Stops>;
