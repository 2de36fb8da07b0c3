import { defineTable } from "./table.ts";

/** The only one there is, while nothing is signed. */
export interface StopRow {
  readonly id: number;
  readonly reason: string | null;
  readonly stoppedAtMs: number;
}

export const Stops = defineTable<StopRow>("stops", {
  columns: { id: "int", reason: "text", stoppedAtMs: "int" },
  primary: ["id"],
});
