import { hash } from "node:crypto";
import { sha256 } from "@noble/hashes/sha2.js";
import { joined } from "../../../base/bytes.ts";
import { chunksOf } from "../../../base/lists.ts";
import { mapInPortions, SMALL_ITEMS } from "../../../base/waiting/in_portions.ts";

/** The system's own is quicker from here on; below, calling it takes longer than hashing. */
const LONG_BYTES = 4_096;

export function sha256Twice(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  const size = parts.reduce((sum, { length }) => sum + length, 0);
  if (size >= LONG_BYTES) {
    const once = hash("sha256", parts.length === 1 && first ? first : joined(parts), "buffer");
    return sha256(once);
  }
  if (parts.length === 1 && first) return sha256(sha256(first));
  const inner = sha256.create();
  for (const part of parts) inner.update(part);
  return sha256(inner.digest());
}

/**
 * Undefined if two that stand side by side are equal: by repeating its last transactions a block
 * could be written in several ways with the same root.
 */
export async function merkleRoot(leaves: readonly Uint8Array[]): Promise<Uint8Array | undefined> {
  let level = leaves;
  while (level.length > 1) {
    const pairs = chunksOf(level, 2);
    if (pairs.some(([left, right]) => right && isSame(left!, right))) return undefined;
    level = await mapInPortions(
      pairs,
      ([left, right = left]) => sha256Twice([joined([left!, right!])]),
      SMALL_ITEMS,
    );
  }
  return level[0];
}

export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false;
  return one.length === other.length;
}
