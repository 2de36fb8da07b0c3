import { defineTable, int, type RowOf, text } from "../../store/tables/table.ts";

/**
 * Where money lies in outputs: what deposits spend that aren't credited yet, and payments to wallets
 * that may be undone.
 */
export const DepositInputs = defineTable("deposit_inputs", {
  columns: {
    id: int(),
    network: text(),
    /** Of the deposit or payment. */
    txHash: text(),
    outpoint: text(),
    /** It, or the one of its ancestors that spends this. */
    spender: text(),
    /** What spent it instead, so that it can't come any more; null if that was never read. */
    spentBy: text().orNull(),
    spentHeight: int().orNull(),
    /** Of that block, or of the one at which it was missing; null while it is in none. */
    spentHash: text().orNull(),
  },
  primary: ["id"],
  unique: { input: ["network", "txHash", "outpoint"] },
  isSerial: true,
  sealedExcept: [],
});
export type DepositInputRow = RowOf<typeof DepositInputs>;
