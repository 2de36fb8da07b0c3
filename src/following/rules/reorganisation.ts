import { first } from "../../base/lists.ts";

export interface BlockRef {
  readonly height: number;
  readonly hash: string;
  readonly parentHash: string;
}

/** What to do where the node's chain has another block than we remember. */
export type Reorganisation =
  | { readonly kind: "contradiction" }
  | { readonly kind: "below_remembered"; readonly lowest: number }
  | { readonly kind: "below_final"; readonly finalHeight: number }
  | { readonly kind: "rewind"; readonly toHeight: number };

interface Branches {
  /** Lowest first, without gaps. */
  readonly remembered: readonly BlockRef[];
  /** The node's hash at a height, as far as it has one. */
  readonly hashAt: (height: number) => string | undefined;
  /** The first block that is read for new payments. Reading may begin before it, never after it. */
  readonly startHeight: number;
  readonly finalHeight: number | null;
}

export function judgeReorganisation(
  { remembered, hashAt, startHeight, finalHeight }: Branches,
): Reorganisation {
  // 1. The node has all that we remember, so it contradicts itself: ask again.
  const isOther = ({ height, hash }: BlockRef) => ![undefined, hash].includes(hashAt(height));
  if (!remembered.some(isOther)) return { kind: "contradiction" };
  const lowest = first(remembered).height;
  // Below the first block nothing is recorded but what a rescan found, so nothing is lost there.
  const toHeight = commonAncestor(remembered, hashAt)?.height ??
    (lowest <= startHeight ? lowest - 1 : undefined);
  // 2. Nothing that we remember is left, so nobody knows where the branches part: stop.
  if (toHeight === undefined) return { kind: "below_remembered", lowest };
  // 3. Blocks are gone that were final: stop.
  if (finalHeight !== null && toHeight < finalHeight) return { kind: "below_final", finalHeight };
  // 4. Forget what comes after the last block that both have, and read on from there.
  return { kind: "rewind", toHeight };
}

/** The highest remembered block that the node still has. Undefined if there is none. */
export function commonAncestor(
  known: readonly BlockRef[],
  hashAt: (height: number) => string | undefined,
): BlockRef | undefined {
  return known.findLast((ref) => hashAt(ref.height) === ref.hash);
}
