import type { BlockRef } from "../../chain.ts";
import type { RawTransaction } from "../transfers/transaction.ts";

/** A block without its transactions. */
export interface Header extends BlockRef {
  readonly atMs: number;
}

export interface BlockOfIds {
  readonly header: Header;
  readonly txs: readonly ListedTransaction[];
}

/** As listed in a block: the request and whether it succeeded. */
export interface ListedTransaction {
  readonly txHash: string;
  readonly raw: RawTransaction;
  readonly contractRet: unknown;
}
