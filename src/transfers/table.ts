import { bool, defineTable, int, type RowOf, text } from "../store/tables/table.ts";

export const SignedTransfers = defineTable("signed_transfers", {
  columns: {
    id: int(),
    network: text(),
    sender: text(),
    nonce: int(),
    /** The nonce while these are its newest bytes; null once outbid or given up. */
    liveNonce: int().orNull(),
    txHash: text(),
    raw: text(),
    purpose: text<"withdrawal" | "sweep" | "gas_topup" | "void" | "foreign">(),
    withdrawalId: int().orNull(),
    sweepId: int().orNull(),
    /** The transaction row that the account sees. */
    transactionId: int().orNull(),
    toAddress: text(),
    contractAddress: text().orNull(),
    amountRaw: text(),
    nativeCostMaxRaw: text(),
    state: text<"open" | "settled" | "superseded" | "abandoned">(),
    blockNumber: int(),
    blockHash: text().orNull(),
    isSuccessful: bool().orNull(),
    feeRaw: text().orNull(),
    arrivedRaw: text().orNull(),
    signedAtHeight: int(),
    createdAtMs: int(),
    sentAtMs: int().orNull(),
    /** The recipient has code that runs when coins arrive; otherwise null. */
    callsCode: bool<true>().orNull(),
  },
  primary: ["id"],
  unique: { hash: ["network", "txHash"], nonce: ["network", "sender", "liveNonce"] },
  isSerial: true,
  sealedExcept: ["sentAtMs"],
});
export type SignedTransferRow = RowOf<typeof SignedTransfers>;
