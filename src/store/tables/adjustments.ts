import { defineTable } from "./table.ts";

/** What a manual entry booked under its reference. */
export interface AdjustmentReferenceRow {
  readonly accountId: number;
  readonly reference: string;
  readonly network: string;
  readonly currency: string;
  readonly amount: string;
  readonly balanceAfter: string;
  readonly heldAfter: string;
  readonly createdAtMs: number;
}

export const AdjustmentReferences = defineTable<AdjustmentReferenceRow>(
  "adjustment_references",
  {
    columns: {
      accountId: "int",
      reference: "text",
      network: "text",
      currency: "text",
      amount: "text",
      balanceAfter: "text",
      heldAfter: "text",
      createdAtMs: "int",
    },
    primary: ["accountId", "reference"],
  },
);
