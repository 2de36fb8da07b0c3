import { defineTable, int, type RowOf, text } from "../store/tables/table.ts";
import type { Way } from "./rules/ways.ts";

/** What the transactions of sweeps cost that were signed in an hour, as far as they are final. */
export const CostHours = defineTable("cost_hours", {
  columns: {
    network: text(),
    startsAtMs: int(),
    /** Empty: for no sweep of one currency. */
    currency: text(),
    way: text<Way>(),
    sweeps: int(),
    /** Of them, the first ones of their addresses. */
    firstSweeps: int(),
    deposits: int(),
    feeRaw: text(),
    /** What they usually take, so that the fee shows what gas cost; 0 where prices are voted on. */
    gas: int(),
  },
  primary: ["network", "startsAtMs", "currency", "way"],
});
export type CostHourRow = RowOf<typeof CostHours>;

/** Written by triggers: this hour has to be added up again. */
export const CostMarks = defineTable("cost_marks", {
  columns: {
    id: int(),
    network: text(),
    startsAtMs: int(),
  },
  primary: ["id"],
  isSerial: true,
});
export type CostMarkRow = RowOf<typeof CostMarks>;

export const NodeCalls = defineTable("node_calls", {
  columns: {
    network: text(),
    dayMs: int(),
    host: text(),
    calls: int(),
  },
  primary: ["network", "dayMs", "host"],
});
export type NodeCallsRow = RowOf<typeof NodeCalls>;

export const COST_TABLES = [CostHours, CostMarks, NodeCalls];
