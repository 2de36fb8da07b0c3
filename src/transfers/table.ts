import { one } from "../base/lists.ts";
import { bool, defineTable, int, type RowOf, text } from "../store/tables/table.ts";

/** What we signed, saved before any node saw it; or what somebody else signed with our key. */
export const SignedTransactions = defineTable("signed_transactions", {
  columns: {
    id: int(),
    network: text(),
    sender: text(),
    /** Which of its sender's it is: by nonce or, where transactions expire, by expiry. */
    place: int(),
    /** The newest bytes for its claims. False once outbid, given up or lost. */
    isLive: bool(),
    /** Not signed here, seen in a block. It has no bytes and no payments. */
    isForeign: bool(),
    /** So that no payment can go missing. */
    paymentCount: int(),
    txHash: text(),
    raw: text(),
    nativeCostMaxRaw: text(),
    state: text<"open" | "settled" | "superseded" | "abandoned">(),
    blockNumber: int(),
    blockHash: text().orNull(),
    isSuccessful: bool().orNull(),
    feeRaw: text().orNull(),
    signedAtHeight: int(),
    createdAtMs: int(),
    sentAtMs: int().orNull(),
  },
  primary: ["id"],
  unique: { hash: ["network", "txHash"] },
  isSerial: true,
  sealedExcept: ["sentAtMs"],
});
export type SignedTransactionRow = RowOf<typeof SignedTransactions>;

/** What a signed transaction does for one order. Bids for the same claims each have their own. */
export const SignedPayments = defineTable("signed_payments", {
  columns: {
    id: int(),
    signedId: int(),
    /** In its transaction, from 0. */
    position: int(),
    network: text(),
    /** A void moves nothing: if it is mined, it takes the place of what would have. */
    purpose: text<"withdrawal" | "sweep" | "gas_topup" | "void">(),
    withdrawalId: int().orNull(),
    sweepId: int().orNull(),
    /** The transaction row that the account sees. */
    transactionId: int().orNull(),
    fromAddress: text(),
    toAddress: text(),
    contractAddress: text().orNull(),
    amountRaw: text(),
    /** Its own outcome in the block that its transaction is in. */
    isSuccessful: bool().orNull(),
    /** The block that says so: an outcome of another one is none. */
    blockHash: text().orNull(),
    arrivedRaw: text().orNull(),
    /** The recipient has code that runs when coins arrive; otherwise null. */
    callsCode: bool<true>().orNull(),
    /**
     * Mined for good, but its owner isn't settled yet: one of its rows isn't genuine, or restored
     * books know another receiving wallet.
     */
    unsettled: text<"tampered" | "other_wallet">().orNull(),
  },
  primary: ["id"],
  isSerial: true,
  sealedExcept: [],
});
export type SignedPaymentRow = RowOf<typeof SignedPayments>;

/**
 * What no other live transaction may use: a nonce or an expiry of its sender, an output, or the
 * right to send gas to an address. Of the bids for it, the newest holds it.
 */
export const Claims = defineTable("claims", {
  columns: {
    signedId: int(),
    claim: text(),
    network: text(),
    /** Only one transaction with it is ever mined; others may follow when it is no longer live. */
    isOnce: bool(),
    /** The claim while its transaction is live. */
    liveClaim: text().orNull(),
  },
  primary: ["signedId", "claim"],
  unique: { live: ["network", "liveClaim"] },
  sealedExcept: [],
});
export type ClaimRow = RowOf<typeof Claims>;

/**
 * Where one row was a transaction, its only payment and its nonce. It is empty once its rows' seals
 * were passed on.
 */
export const FormerTransfers = defineTable("signed_transfers", {
  columns: {
    id: int(),
    network: text(),
    sender: text(),
    nonce: int(),
    liveNonce: int().orNull(),
    txHash: text(),
    raw: text(),
    purpose: text<"withdrawal" | "sweep" | "gas_topup" | "void" | "foreign">(),
    withdrawalId: int().orNull(),
    sweepId: int().orNull(),
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
    callsCode: bool<true>().orNull(),
  },
  primary: ["id"],
  isSerial: true,
  sealedExcept: ["sentAtMs"],
});
export type FormerTransferRow = RowOf<typeof FormerTransfers>;

/** A signed transaction with what it does. */
export interface Signed {
  readonly tx: SignedTransactionRow;
  readonly payments: readonly SignedPaymentRow[];
}

/** One payment with the transaction that makes it. */
export interface Paying {
  readonly tx: SignedTransactionRow;
  readonly payment: SignedPaymentRow;
}

/** The only payment of a transaction that makes one. */
export function paying({ tx, payments }: Signed): Paying {
  return { tx, payment: one(payments) };
}
