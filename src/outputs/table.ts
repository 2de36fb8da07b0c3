import { bool, defineTable, int, type RowOf, text } from "../store/tables/table.ts";

/** What our addresses hold where money lies in outputs. */
export const Outputs = defineTable("outputs", {
  columns: {
    id: int(),
    network: text(),
    txHash: text(),
    /** Its index in its transaction. */
    position: int(),
    address: text(),
    amountRaw: text(),
    /** The lowest height of a block that may spend it; null: any. */
    maturesAt: int().orNull(),
    /** Made by a transaction that we signed, so that it may be spent before it is in a block. */
    isOwn: bool(),
    blockNumber: int(),
    /** Null while it is in no block. */
    blockHash: text().orNull(),
    /** 1 until what spends it is so deep that it stays; then null. */
    open: int<1>().orNull(),
  },
  primary: ["id"],
  unique: { outpoint: ["network", "txHash", "position"] },
  isSerial: true,
  sealedExcept: [],
});
export type OutputRow = RowOf<typeof Outputs>;
