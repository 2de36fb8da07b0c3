import { defineTable, int, type RowOf, text } from "../../store/tables/table.ts";

/**
 * How coins move besides deposits and payouts. With `_hot`: to or from the hot wallet, otherwise
 * deposit addresses.
 */
export type CoinMove =
  | "swept"
  | "swept_hot"
  /** Deposits of the native coin that were swept, their fee included. */
  | "emptied"
  | "gas"
  | "gas_hot"
  | "fees"
  | "fees_hot"
  /** Of what was swept, where that pays its own fee. */
  | "fees_inside"
  /** By hand, signed. */
  | "booked"
  /** What payouts cost the account by the operator's terms. */
  | "charged";

/** Written by triggers, so that whatever moves coins is counted. */
export const CoinMoves = defineTable("coin_moves", {
  columns: {
    id: int(),
    accountId: int(),
    network: text(),
    currency: text(),
    kind: text<CoinMove>(),
    sign: int<1 | -1>(),
    /** Of fees, in the smallest unit. */
    amount: text(),
    atMs: int(),
  },
  primary: ["id"],
  isSerial: true,
});
export type CoinMoveRow = RowOf<typeof CoinMoves>;

export const CoinSums = defineTable("coin_sums", {
  columns: {
    accountId: int(),
    network: text(),
    currency: text(),
    kind: text<CoinMove>(),
    amount: text(),
    /** Of the first one. */
    sinceMs: int(),
  },
  primary: ["accountId", "network", "currency", "kind"],
});
export type CoinSumRow = RowOf<typeof CoinSums>;
