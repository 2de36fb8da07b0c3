import type { BlockRef } from "../chain.ts";

/** An endpoint's newest block, and its hashes at lower heights that others are asked about too. */
export interface Head extends BlockRef {
  readonly atMs: number;
  /** Null if the chain has no such tag. */
  readonly finalized: { readonly height: number; readonly atMs: number } | null;
  /** By height; null if it has no such block. */
  readonly hashes: ReadonlyMap<number, string | null>;
  /** Absent where blocks have none. */
  readonly gas?: BlockGas | undefined;
}

/** What the newest block says about the price of gas, and how much a block has. */
export interface BlockGas {
  readonly baseRaw: bigint;
  readonly limit: bigint;
}

/** Undefined if unknown, null if the endpoint has no such block. */
export function hashAt(head: Head, height: number): string | null | undefined {
  if (head.height === height) return head.hash;
  if (head.height === height + 1) return head.parentHash;
  return head.height < height ? null : head.hashes.get(height);
}
