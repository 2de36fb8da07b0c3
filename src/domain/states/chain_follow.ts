import { at, first } from "../../base/lists.ts";

export interface BlockRef {
  readonly height: number;
  readonly hash: string;
  readonly parentHash: string;
}

export type FollowStep =
  /** The block continues the known ones. */
  | "append"
  /** The block is known. */
  | "same"
  /** Blocks in between are missing: read them first. */
  | "gap"
  /** Another branch: go back to where both agree. */
  | "rewind"
  /** Another branch that starts below all known blocks: stop, and guess nothing. */
  | "too_deep";

/** `known` are the remembered blocks, lowest first, without gaps. */
export function followStep(known: readonly BlockRef[], block: BlockRef): FollowStep {
  const last = known.at(-1);
  if (!last) return "append";
  if (block.height > last.height + 1) return "gap";
  if (block.height === last.height + 1) return block.parentHash === last.hash ? "append" : "rewind";
  const lowest = first(known);
  if (block.height < lowest.height) return "too_deep";
  return at(known, block.height - lowest.height).hash === block.hash ? "same" : "rewind";
}

/** The highest remembered block that the node still has. Undefined if there is none. */
export function commonAncestor(
  known: readonly BlockRef[],
  hashAt: (height: number) => string | undefined,
): BlockRef | undefined {
  return known.findLast((ref) => hashAt(ref.height) === ref.hash);
}

/** 1 for the newest block; 0 outside a block. */
export function confirmationsOf(
  topHeight: number,
  block: { height: number; isAnchored: boolean },
): number {
  if (!block.isAnchored || block.height === 0) return 0;
  return Math.max(0, topHeight - block.height + 1);
}
