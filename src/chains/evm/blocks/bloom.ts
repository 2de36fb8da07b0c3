import { keccak_256 } from "@noble/hashes/sha3.js";
import { fromHex } from "../../../base/bytes.ts";
import { present } from "../../../base/assert.ts";
import { mapInPortions, SMALL_ITEMS } from "../../../base/waiting/in_portions.ts";

/** The three bits of a block's 2048 that are set if a value was logged. */
type BloomKey = readonly { readonly digit: number; readonly mask: number }[];

export function bloomKey(hex: string): BloomKey {
  const hash = keccak_256(present(fromHex(hex.slice(2)), `Not hex: ${hex}`));
  return [0, 2, 4].map((at) => {
    const bit = (hash[at]! << 8 | hash[at + 1]!) & 2047;
    // Digits of the hex text after "0x"; the last digit holds the lowest bit.
    return { digit: 2 + 511 - (bit >> 2), mask: 1 << (bit & 3) };
  });
}

/** False is certain, true is not. */
export function mayContain(bloom: string, key: BloomKey): boolean {
  return key.every(({ digit, mask }) => (parseInt(bloom[digit]!, 16) & mask) !== 0);
}

/** True for a block without logs, and for chains that never fill the bloom in. */
export function isEmptyBloom(bloom: string): boolean {
  return /^0x0*$/.test(bloom);
}

export async function bloomOf(values: ReadonlySet<string>): Promise<string> {
  const digits = new Uint8Array(512);
  await mapInPortions([...values], (value) => {
    for (const { digit, mask } of bloomKey(value)) digits[digit - 2]! |= mask;
  }, SMALL_ITEMS);
  return `0x${Array.from(digits, (digit) => digit.toString(16)).join("")}`;
}
