import type { Advice } from "../../domain/advice.ts";
import { defineTable, int, json, type RowOf, text } from "./table.ts";

export const Alerts = defineTable("alerts", {
  columns: {
    id: int(),
    kind: text(),
    subject: text(),
    message: text(),
    /** 1 until it is resolved, then null. */
    open: int<1>().orNull(),
    createdAtMs: int(),
    resolvedAtMs: int().orNull(),
    advice: json<Advice>().orNull(),
  },
  primary: ["id"],
  unique: { open: ["kind", "subject", "open"] },
  isSerial: true,
});
export type AlertRow = RowOf<typeof Alerts>;
