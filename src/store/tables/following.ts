import { bool, defineTable, int, type RowOf, text } from "./table.ts";

export const NetworkCursors = defineTable("network_cursors", {
  columns: {
    network: text(),
    scanHeight: int(),
    topHeight: int(),
    tipHeight: int(),
    finalizedHeight: int().orNull(),
    finalizedAgeMs: int().orNull(),
    haltedReason: text().orNull(),
    /** What blocks paid for a unit of gas, as it is remembered. */
    paidRaw: text().orNull(),
    paidAtMs: int().orNull(),
    /** Of what was refused because of its fee, until that would fit again. */
    refusedGas: text().orNull(),
    updatedAtMs: int(),
  },
  primary: ["network"],
});
export type NetworkCursorRow = RowOf<typeof NetworkCursors>;

export const NetworkBlocks = defineTable("network_blocks", {
  columns: {
    network: text(),
    height: int(),
    hash: text(),
    parentHash: text(),
  },
  primary: ["network", "height"],
});
export type NetworkBlockRow = RowOf<typeof NetworkBlocks>;

export const NetworkEndpoints = defineTable("network_endpoints", {
  columns: {
    network: text(),
    /** In the operator's list. */
    place: int(),
    host: text(),
    isReachable: bool(),
    height: int().orNull(),
    finalizedHeight: int().orNull(),
    isTracing: bool().orNull(),
    lastError: text().orNull(),
    failedAtMs: int().orNull(),
    answeredAtMs: int().orNull(),
  },
  primary: ["network", "place"],
});
export type NetworkEndpointRow = RowOf<typeof NetworkEndpoints>;
