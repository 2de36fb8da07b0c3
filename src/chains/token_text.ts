import { fromHex } from "../base/bytes.ts";

/** A token's own name and symbol. Anybody can deploy a token with any name. */
export interface TokenTexts {
  readonly name: string;
  readonly symbol: string;
}

const WORD = 64;
const BYTES_MAX = 256;

/** A Solidity string, or 32 bytes padded with zeros, as early tokens answer. */
export function readTokenText(hex: string): string | undefined {
  const digits = hex.replace(/^0x/, "");
  if (digits.length === WORD) return textOf(withoutZeros(digits));
  if (digits.length < 2 * WORD || BigInt(`0x${digits.slice(0, WORD)}`) !== 32n) return undefined;
  const bytes = BigInt(`0x${digits.slice(WORD, 2 * WORD)}`);
  if (bytes > BigInt(BYTES_MAX)) return undefined;
  const text = digits.slice(2 * WORD, 2 * WORD + 2 * Number(bytes));
  return text.length === 2 * Number(bytes) ? textOf(text) : undefined;
}

function withoutZeros(hex: string): string {
  let end = hex.length;
  while (hex.endsWith("00", end) && end > 0) end -= 2;
  return hex.slice(0, end);
}

function textOf(hex: string): string | undefined {
  const bytes = fromHex(hex);
  if (!bytes) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\p{C}/gu, "").trim();
  } catch {
    return undefined;
  }
}
