import { sha256 } from "@noble/hashes/sha2.js";
import { present } from "../../base/assert.ts";
import { fromHex, toHex } from "../../base/bytes.ts";
import { NodeError } from "../chain.ts";
import { shown } from "../shown.ts";

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const PREFIX = "41";

/** Two generations instead of an LRU: a scan looks up so often that keeping order costs more. */
const GENERATION_MAX = 50_000;
let young = new Map<string, string>();
let old = new Map<string, string>();

/** Base58check, for the 21 bytes that nodes write as lower-case hex. */
export function encodeAddress(hex: string): string {
  const known = young.get(hex);
  if (known) return known;
  const text = old.get(hex) ?? toBase58(hex + checksumOf(hex));
  if (young.size >= GENERATION_MAX) {
    old = young;
    young = new Map();
  }
  young.set(hex, text);
  return text;
}

/** Undefined for anything but a right base58check of this chain. */
export function decodeAddress(text: string): string | undefined {
  if (!/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(text)) return undefined;
  const hex = fromBase58(text);
  const address = hex.slice(0, 42);
  const isRight = hex.length === 50 && address.startsWith(PREFIX) &&
    checksumOf(address) === hex.slice(42);
  return isRight ? address : undefined;
}

/** For addresses that were checked before. */
export function hexOfAddress(text: string): string {
  return present(decodeAddress(text), `Not an address: ${text}`);
}

export function nodeAddress(value: unknown, what: string): string {
  if (typeof value === "string" && /^41[0-9a-f]{40}$/i.test(value)) return value.toLowerCase();
  throw new NodeError(`Cannot read ${what} from a node's answer: ${shown(value)}`);
}

/** Logs and calls carry the 20 bytes that Ethereum's machine knows. */
export function fromEvmAddress(hex: string): string {
  return PREFIX + hex;
}

export function isAddressHex(hex: string): boolean {
  return hex.length === 42 && hex.startsWith(PREFIX);
}

function checksumOf(hex: string): string {
  const bytes = present(fromHex(hex), "An address is hex");
  return toHex(sha256(sha256(bytes))).slice(0, 8);
}

/** The first byte is never zero, so no leading ones have to be kept. */
function toBase58(hex: string): string {
  let text = "";
  for (let rest = BigInt(`0x${hex}`); rest > 0n; rest /= 58n) {
    text = ALPHABET[Number(rest % 58n)] + text;
  }
  return text;
}

function fromBase58(text: string): string {
  let value = 0n;
  for (const digit of text) value = value * 58n + BigInt(ALPHABET.indexOf(digit));
  const hex = value.toString(16);
  return hex.padStart(hex.length + hex.length % 2, "0");
}
