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
    updatedAtMs: "int",
  },
  primary: ["network"],
});

export const NetworkBlocks = defineTable<rows.NetworkBlockRow>("network_blocks", {
  columns: { network: "text", height: "int", hash: "text", parentHash: "text" },
  primary: ["network", "height"],
});
