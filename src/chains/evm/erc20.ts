import { NodeError, type TokenMove } from "../chain.ts";
import { topicAddress } from "./_address.ts";
import { hexBytes, word } from "./decode.ts";
import type { EvmLog } from "./decode_receipt.ts";

export const TRANSFER_TOPIC = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
export const DECIMALS_CALL = "0x313ce567";
export const NAME_CALL = "0x06fdde03";
export const SYMBOL_CALL = "0x95d89b41";

export function transferCall({ to, amountRaw }: { to: string; amountRaw: bigint }): string {
  return `0xa9059cbb${addressWord(to)}${amountRaw.toString(16).padStart(64, "0")}`;
}

export function balanceCall(owner: string): string {
  return `0x70a08231${addressWord(owner)}`;
}

/** Undefined for an NFT's transfer, which has the same topic, and for one of nothing at all. */
export function readTransferLog({ contract, topics, data }: EvmLog): TokenMove | undefined {
  if (topics[0] !== TRANSFER_TOPIC || topics.length !== 3 || data.length !== 66) return undefined;
  const amountRaw = BigInt(data);
  if (amountRaw === 0n) return undefined;
  return { contract, from: topicAddress(topics[1]!), to: topicAddress(topics[2]!), amountRaw };
}

/** USDT answers a transfer with nothing; other tokens with true, or with false when it failed. */
export function isTransferAnswerOk(answer: unknown): boolean {
  const bytes = hexBytes(answer, "a transfer's answer");
  return bytes === "0x" || (bytes.length === 66 && BigInt(bytes) === 1n);
}

export function readDecimals(answer: unknown): number | undefined {
  const bytes = hexBytes(answer, "a decimals answer");
  if (bytes.length !== 66 || BigInt(bytes) > 255n) return undefined;
  return Number(BigInt(bytes));
}

/** A contract that answers nothing has told no balance, which is not a balance of zero. */
export function readBalance(answer: unknown, contract: string): bigint {
  if (answer === "0x") throw new NodeError(`${contract} answers no balance: is it a token?`);
  return word(answer, "a token balance");
}

function addressWord(address: string): string {
  return address.slice(2).toLowerCase().padStart(64, "0");
}
