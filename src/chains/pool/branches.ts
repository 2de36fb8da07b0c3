import { hashAt, type Head } from "./head.ts";

export interface Ballot {
  /** Position in the operator's list, which breaks ties. */
  readonly order: number;
  readonly head: Head;
  /** Others were seen on another chain, so its vote alone decides nothing. */
  readonly isContradicted: boolean;
  /** It is an earlier answer: in a tie, those that have just answered win. */
  readonly isLate: boolean;
}

/** The result of the last poll. */
export interface Followed {
  readonly height: number;
  readonly hash: string;
}

/**
 * Finds the endpoints that share one chain. Goes through the heights at which they can be compared,
 * lowest first, and drops the outvoted. An endpoint without a block at a height has no vote there.
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

/** Undefined if only contradicted endpoints voted. */
function strongest<B extends Ballot>(
  sides: ReadonlyMap<string, readonly B[]>,
  preferred: string | undefined,
): string | undefined {
  const first = (side: readonly B[]) => Math.min(...side.map(({ order }) => order));
  const heard = (side: readonly B[]) => side.filter(({ isLate }) => !isLate).length;
  const sorted = [...sides].filter(([, side]) => side.some((it) => !it.isContradicted))
    .sort(([hashA, a], [hashB, b]) =>
      b.length - a.length ||
      heard(b) - heard(a) ||
      Number(hashB === preferred) - Number(hashA === preferred) ||
      first(a) - first(b)
    );
  return sorted[0]?.[0];
}
