export interface BlockRef {
  readonly height: number;
  readonly hash: string;
  readonly parentHash: string;
}

export type FollowStep =
  /** The block continues what is known. */
  | "append"
  /** Known already. */
  | "same"
  /** Blocks between are missing: read them first. */
  | "gap"
  /** Another branch: walk back to where both agree. */
  | "rewind"
  /** Another branch from below everything remembered: stop, guess nothing. */
  | "too_deep";

/** `known` are the remembered blocks, lowest first, without gaps. */
export function followStep(known: readonly BlockRef[], block: BlockRef): FollowStep {
  const last = known.at(-1);
  if (!last) return "append";
  if (block.height > last.height + 1) return "gap";
  if (block.height === last.height + 1) return block.parentHash === last.hash ? "append" : "rewind";
  const first = known[0]!;
  if (block.height < first.height) return "too_deep";
  return known[block.height - first.height]!.hash === block.hash ? "same" : "rewind";
}

/** The highest remembered block that the node still has. Undefined: none of them. */
export function commonAncestor(
  known: readonly BlockRef[],
  hashAt: (height: number) => string | undefined,
): BlockRef | undefined {
  return known.findLast((ref) => hashAt(ref.height) === ref.hash);
}

/** 1 for the newest block; 0 while in no block. */
export function confirmationsOf(
  topHeight: number,
  block: { height: number; isAnchored: boolean },
): number {
  if (!block.isAnchored || block.height === 0) return 0;
  return Math.max(0, topHeight - block.height + 1);
}
