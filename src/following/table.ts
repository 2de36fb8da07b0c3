import { bool, defineTable, int, type RowOf, text } from "../store/tables/table.ts";

export const NetworkCursors = defineTable("network_cursors", {
  columns: {
    network: text(),
    scanHeight: int(),
    topHeight: int(),
    tipHeight: int(),
    tipAtMs: int().orNull(),
    finalizedHeight: int().orNull(),
    finalizedAgeMs: int().orNull(),
    haltedReason: text().orNull(),
    /** What recent blocks paid per unit of gas. */
    paidRaw: text().orNull(),
    paidAtMs: int().orNull(),
    /** The gas of a payment refused because of its fee, until it would fit again. */
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
    /** Position in the operator's list. */
    place: int(),
    host: text(),
    isReachable: bool(),
    height: int().orNull(),
    finalizedHeight: int().orNull(),
    isTracing: bool().orNull(),
    lastError: text().orNull(),
    failedAtMs: int().orNull(),
    answeredAtMs: int().orNull(),
    /** Null: it has no socket. */
    isPushing: bool().orNull(),
    pushError: text().orNull(),
  },
  primary: ["network", "place"],
});
export type NetworkEndpointRow = RowOf<typeof NetworkEndpoints>;
