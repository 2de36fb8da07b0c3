import type { PreparedTransfer } from "../../transfer.ts";
import type { UnspentOutput } from "../../outputs.ts";
import type { Plan, WalletCoin } from "../coins/choose.ts";

/** An output in the words of both sides. */
export interface OwnCoin extends WalletCoin {
  readonly output: UnspentOutput;
}

/** What is signed, and what another choice of coins needs to know. */
export interface BitcoinDetail {
  readonly plan: Plan<OwnCoin>;
  /** Whose change it is. */
  readonly from: string;
  /** For 1,000 bytes. */
  readonly rateRaw: bigint;
}

export function detailOf({ detail }: PreparedTransfer): BitcoinDetail {
  // Only this family's prepared transfers come here.
  return detail as BitcoinDetail;
}

export function coinOf(output: UnspentOutput): OwnCoin {
  const { txHash: txid, position: vout, amountRaw: valueRaw, height } = output;
  return { txid, vout, valueRaw, isConfirmed: height !== null, output };
}
