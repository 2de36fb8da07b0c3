import { NodeError } from "../faults.ts";
import { transferReader, transferTopic, type Writing } from "../token_moves.ts";
import { addressOfBytes } from "./address.ts";
import { hexBytes, word } from "./decode.ts";

const WRITING: Writing = { prefix: "0x", addressOf: addressOfBytes };

export const TRANSFER_TOPIC = transferTopic(WRITING);
export const readTransferLog = transferReader(WRITING);
export const DECIMALS_CALL = "0x313ce567";
export const NAME_CALL = "0x06fdde03";
export const SYMBOL_CALL = "0x95d89b41";

export function transferCall({ to, amountRaw }: { to: string; amountRaw: bigint }): string {
  return `0xa9059cbb${addressWord(to)}${amountRaw.toString(16).padStart(64, "0")}`;
}

export function balanceCall(owner: string): string {
  return `0x70a08231${addressWord(owner)}`;
}

/** USDT answers a transfer with nothing; other tokens with true, or false if it failed. */
export function isTransferAnswerOk(answer: unknown): boolean {
  const bytes = hexBytes(answer, "a transfer's answer");
  return bytes === "0x" || (bytes.length === 66 && BigInt(bytes) === 1n);
}

export function readDecimals(answer: unknown): number | undefined {
  const bytes = hexBytes(answer, "a decimals answer");
  if (bytes.length !== 66 || BigInt(bytes) > 255n) return undefined;
  return Number(BigInt(bytes));
}

/** No answer is not a balance of zero. */
export function readBalance(answer: unknown, contract: string): bigint {
  if (answer === "0x") throw new NodeError(`${contract} answers no balance: is it a token?`);
  return word(answer, "a token balance");
}

function addressWord(address: string): string {
  return address.slice(2).toLowerCase().padStart(64, "0");
}
