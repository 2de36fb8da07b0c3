import type * as rows from "./rows.ts";
import { defineTable } from "./table.ts";

export const NetworkCursors = defineTable<rows.NetworkCursorRow>("network_cursors", {
  columns: {
    network: "text",
    scanHeight: "int",
    topHeight: "int",
    tipHeight: "int",
    finalizedHeight: "int",
    finalizedAgeMs: "int",
    haltedReason: "text",
    paidRaw: "text",
    paidAtMs: "int",
    refusedGas: "text",
    updatedAtMs: "int",
  },
  primary: ["network"],
});

export const NetworkBlocks = defineTable<rows.NetworkBlockRow>("network_blocks", {
  columns: { network: "text", height: "int", hash: "text", parentHash: "text" },
  primary: ["network", "height"],
});

export interface NetworkEndpointRow {
  readonly network: string;
  /** In the operator's list. */
  readonly place: number;
  readonly host: string;
  readonly isReachable: boolean;
  readonly height: number | null;
  readonly finalizedHeight: number | null;
  readonly isTracing: boolean | null;
  readonly lastError: string | null;
  readonly failedAtMs: number | null;
  readonly answeredAtMs: number | null;
}

export const NetworkEndpoints = defineTable<NetworkEndpointRow>("network_endpoints", {
  columns: {
    network: "text",
    place: "int",
    host: "text",
    isReachable: "bool",
    height: "int",
    finalizedHeight: "int",
    isTracing: "bool",
    lastError: "text",
    failedAtMs: "int",
    answeredAtMs: "int",
  },
  primary: ["network", "place"],
});
