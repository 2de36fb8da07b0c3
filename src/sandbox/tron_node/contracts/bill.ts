import { sparse } from "../api/proto.ts";
import type { Message } from "../api/values.ts";
import type { Transaction } from "../transactions.ts";

/** The effects of a transaction as its info shows them; the block is added later. */
export interface Outcome {
  readonly info: Message;
  readonly contractRet: string;
}

export interface Bill {
  netUsage: bigint;
  netFee: bigint;
  /** Activation and other fees that are no resource. */
  fee: bigint;
  extraFee: bigint;
}

export function receiptOf({ netUsage, netFee }: Bill, energy: Message): Message {
  return sparse({ ...energy, net_usage: netUsage, net_fee: netFee });
}

export function infoOf(transaction: Transaction, bill: Bill, rest: Message): Message {
  const fee = bill.fee + bill.netFee + bill.extraFee;
  return { id: transaction.txId, fee, ...rest };
}
