import { sha256 } from "@noble/hashes/sha2.js";
import { createBase58check } from "@scure/base";
import { present } from "../../base/assert.ts";
import { fromHex, toHex } from "../../base/bytes.ts";
import { Lru } from "../../base/lru.ts";
import { NodeError } from "../faults.ts";
import { shown } from "../shown.ts";

const PREFIX = "41";
const base58check = createBase58check(sha256);
/** A scan encodes the same addresses again and again. */
const encoded = new Lru<string, string>(100_000);

/** Base58check, for the 21 bytes that nodes write as lower-case hex. */
export function encodeAddress(hex: string): string {
  return encoded.getOrMake(hex, encode);
}

function encode(hex: string): string {
  return base58check.encode(present(fromHex(hex), "An address is hex"));
}

/** Undefined for anything but a valid base58check address of this chain. */
export function decodeAddress(text: string): string | undefined {
  if (!/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(text)) return undefined;
  try {
    const hex = toHex(base58check.decode(text));
    return isAddressHex(hex) ? hex : undefined;
  } catch {
    return undefined;
  }
}

/** For addresses that were already checked. */
export function hexOfAddress(text: string): string {
  return present(decodeAddress(text), `Not an address: ${text}`);
}

export function nodeAddress(value: unknown, what: string): string {
  if (typeof value === "string" && /^41[0-9a-f]{40}$/i.test(value)) return value.toLowerCase();
  throw new NodeError(`Cannot read ${what} from a node's answer: ${shown(value)}`);
}

/** Logs and calls contain the 20 bytes of Ethereum's machine. */
export function fromEvmAddress(hex: string): string {
  return PREFIX + hex;
}

export function isAddressHex(hex: string): boolean {
  return hex.length === 42 && hex.startsWith(PREFIX);
}
