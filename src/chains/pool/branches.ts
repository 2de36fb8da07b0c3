import { hashAt, type Head } from "./head.ts";

export interface Ballot {
  /** Place in the operator's list: decides where votes are equal. */
  readonly order: number;
  readonly head: Head;
  /** Others were seen to have another chain, so alone it decides nothing. */
  readonly isContradicted: boolean;
}

/** The block that the last poll settled on. */
export interface Followed {
  readonly height: number;
  readonly hash: string;
}

/**
 * Those who have one chain, as far as they can be compared: goes through the heights at which they
 * can, lowest first, and leaves behind who is outvoted. Who has no block at a height has no vote.
 */
export function sortBranches<B extends Ballot>(
  ballots: readonly B[],
  { heights, followed }: { heights: readonly number[]; followed: Followed | undefined },
): readonly B[] {
  let together: readonly B[] = ballots;
  for (const height of [...new Set(heights)].sort((a, b) => a - b)) {
    const sides = sidesAt(together, height);
    const winner = strongest(sides, height === followed?.height ? followed.hash : undefined);
    const losers = [...sides].filter(([hash]) => hash !== winner).flatMap(([, side]) => side);
    together = together.filter((ballot) => !losers.includes(ballot));
  }
  return together;
}

function sidesAt<B extends Ballot>(ballots: readonly B[], height: number): Map<string, B[]> {
  const sides = new Map<string, B[]>();
  for (const ballot of ballots) {
    const hash = hashAt(ballot.head, height);
    if (typeof hash !== "string") continue;
    sides.set(hash, [...sides.get(hash) ?? [], ballot]);
  }
  return sides;
}

/** Undefined where only endpoints speak that are not believed alone. */
function strongest<B extends Ballot>(
  sides: ReadonlyMap<string, readonly B[]>,
  preferred: string | undefined,
): string | undefined {
  const first = (side: readonly B[]) => Math.min(...side.map(({ order }) => order));
  const sorted = [...sides].filter(([, side]) => side.some((it) => !it.isContradicted))
    .sort(([hashA, a], [hashB, b]) =>
      b.length - a.length ||
      Number(hashB === preferred) - Number(hashA === preferred) ||
      first(a) - first(b)
    );
  return sorted[0]?.[0];
}
