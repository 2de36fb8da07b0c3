import type { Direction, TransactionStatus } from "../rules/transaction_moves.ts";
import { bool, defineTable, int, type RowOf, text } from "../../store/tables/table.ts";

export const Transactions = defineTable("transactions", {
  columns: {
    id: int(),
    accountId: int(),
    network: text(),
    currency: text(),
    direction: text<Direction>(),
    status: text<TransactionStatus>(),
    txHash: text(),
    position: int(),
    /** 1 while this row counts for its movement, null once it failed. */
    live: int<1>().orNull(),
    fromAddress: text(),
    toAddress: text(),
    amount: text(),
    /** The block it was last seen in, 0 before that. */
    blockNumber: int(),
    /** Null while it is in no block. */
    blockHash: text().orNull(),
    sender: text(),
    senderNonce: int(),
    addressId: int().orNull(),
    depositRequestId: int().orNull(),
    withdrawalId: int().orNull(),
    sweepId: int().orNull(),
    isBelowMinimum: bool(),
    createdAtMs: int(),
    confirmedAtMs: int().orNull(),
    /** The chain's time of the block it was first seen in. Null: unknown. */
    minedAtMs: int().orNull(),
    /** When it left the chain, or a node last showed it in no block. Null: when it was detected. */
    seenAtMs: int().orNull(),
    /** The lowest height at which it may be credited; null: once it is deep enough. */
    creditFrom: int().orNull(),
  },
  primary: ["id"],
  unique: { movement: ["network", "txHash", "position", "live"] },
  isSerial: true,
  sealedExcept: [],
});
export type TransactionRow = RowOf<typeof Transactions>;
