import { keccak_256 } from "@noble/hashes/sha3.js";
import { toHex, utf8 } from "../../base/bytes.ts";
import { Lru } from "../../base/lru.ts";
import { NodeError } from "../faults.ts";
import { shown } from "../shown.ts";

const ZERO_X = utf8("0x");
const LETTER_A = 97;
const TO_UPPER_CASE = 32;
/** Hashing is most of the work of a scan. */
const checksummed = new Lru<string, string>(100_000);

/** EIP-55, for 0x and 40 hex digits in any case. */
export function checksumAddress(address: string): string {
  return checksummed.getOrMake(address, applyChecksum);
}

export function nodeAddress(value: unknown, what: string): string {
  if (typeof value !== "string" || !/^0x[0-9a-f]{40}$/i.test(value)) {
    throw new NodeError(`Cannot read ${what} from a node's answer: ${shown(value)}`);
  }
  return checksumAddress(value);
}

export function addressOfBytes(twentyBytes: string): string {
  return checksumAddress(`0x${twentyBytes}`);
}

function applyChecksum(anyCase: string): string {
  const digits = utf8(anyCase.slice(2).toLowerCase());
  const hash = toHex(keccak_256(digits));
  const written = digits.map((digit, i) =>
    hash.charAt(i) > "7" && digit >= LETTER_A ? digit - TO_UPPER_CASE : digit
  );
  // A text that grew digit by digit would cost whoever compares it as much as the hash.
  return String.fromCharCode(...ZERO_X, ...written);
}
