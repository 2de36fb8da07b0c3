import { hash, timingSafeEqual } from "node:crypto";
import { type Bytes, utf8 } from "../bytes.ts";

/** Whether this is the HMAC-SHA-256 of the message, in hex. */
export type HmacCheck = (message: string, signature: string) => boolean;

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;
const INNER_MASK = 0x36;
const OUTER_MASK = 0x5c;
const encoder = new TextEncoder();
/** Nothing is awaited between filling and reading these, so they serve all checks. */
const INNER = new Uint8Array(BLOCK_BYTES + 8 * 1024);
const EXPECTED = new Uint8Array(HASH_BYTES);
const GIVEN = new Uint8Array(HASH_BYTES);

/**
 * Two hashes on this thread. Web Crypto passes each message to another thread, and waking it takes
 * five times as long.
 */
export function createHmacCheck(secret: Bytes): HmacCheck {
  const key = secret.length > BLOCK_BYTES ? Uint8Array.fromHex(hash("sha256", secret)) : secret;
  const inner = masked(key, INNER_MASK);
  const outer = new Uint8Array(BLOCK_BYTES + HASH_BYTES);
  outer.set(masked(key, OUTER_MASK));
  const innerHash = outer.subarray(BLOCK_BYTES);
  return (message, signature) => {
    innerHash.setFromHex(hash("sha256", joined(inner, message)));
    EXPECTED.setFromHex(hash("sha256", outer));
    const isWhole = signature.length === HASH_BYTES * 2 && isHexInto(GIVEN, signature);
    return timingSafeEqual(EXPECTED, GIVEN) && isWhole;
  };
}

function masked(key: Bytes, mask: number): Bytes {
  const block = new Uint8Array(BLOCK_BYTES).fill(mask);
  key.forEach((byte, i) => block[i] = byte ^ mask);
  return block;
}

function joined(block: Bytes, message: string): Bytes {
  // A character has at most three bytes.
  const isLong = BLOCK_BYTES + message.length * 3 > INNER.length;
  const bytes = isLong ? new Uint8Array(BLOCK_BYTES + utf8(message).length) : INNER;
  bytes.set(block);
  const { written } = encoder.encodeInto(message, bytes.subarray(BLOCK_BYTES));
  return bytes.subarray(0, BLOCK_BYTES + written);
}

function isHexInto(bytes: Bytes, hex: string): boolean {
  try {
    bytes.setFromHex(hex);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
