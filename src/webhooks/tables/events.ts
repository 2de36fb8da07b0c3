import type { EventType } from "../rules/events.ts";
import { defineTable, int, json, type RowOf, text } from "../../store/tables/table.ts";

export const Events = defineTable("events", {
  columns: {
    id: int(),
    eventId: text(),
    accountId: int(),
    type: text<EventType>(),
    transactionId: int().orNull(),
    withdrawalId: int().orNull(),
    payload: json<unknown>(),
    createdAtMs: int(),
  },
  primary: ["id"],
  unique: { eventId: ["eventId"] },
  isSerial: true,
  sealedExcept: [],
});
export type EventRow = RowOf<typeof Events>;
