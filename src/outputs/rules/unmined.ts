/** One that we signed and no block has. */
export interface Unmined {
  readonly txHash: string;
  /** The newest bytes for its place: others are in no mempool, but may be mined all the same. */
  readonly isLive: boolean;
  /** What it spends. */
  readonly outpoints: readonly string[];
}

/** How those that no block has yet hang together. */
export interface UnminedFamilies {
  /** Nothing that it comes from has been replaced, so that nodes take what spends it. */
  isSound(txHash: string): boolean;
  /** Of what it spends, what can never exist any more. */
  lostOf(txHash: string): readonly string[];
  /** All that it comes from, that come from it, and so on, with itself. */
  familyOf(txHash: string): ReadonlySet<string>;
  /** Of the newest bytes, those that it comes from. */
  before(txHash: string): ReadonlySet<string>;
  /** What comes from it, newest bytes or not. */
  after(txHash: string): ReadonlySet<string>;
}

/** `gone`: those that lost their place to others for good. */
export function unminedFamilies(
  open: readonly Unmined[],
  gone: ReadonlySet<string>,
): UnminedFamilies {
  const byHash = new Map(open.map((one) => [one.txHash, one]));
  const lost = new Map<string, readonly string[]>();
  const sound = new Map<string, boolean>();
  const families = new Map<string, Set<string>>();

  function lostOf(txHash: string): readonly string[] {
    const known = lost.get(txHash);
    if (known) return known;
    const found = (byHash.get(txHash)?.outpoints ?? []).filter((outpoint) => {
      const maker = makerOf(outpoint);
      return gone.has(maker) || lostOf(maker).length > 0;
    });
    lost.set(txHash, found);
    return found;
  }

  function isSound(txHash: string): boolean {
    const known = sound.get(txHash);
    if (known !== undefined) return known;
    const own = byHash.get(txHash);
    const makers = (own?.outpoints ?? []).map(makerOf);
    const is = !gone.has(txHash) && own?.isLive !== false && makers.every(isSound);
    sound.set(txHash, is);
    return is;
  }

  for (const { txHash, isLive, outpoints } of open) {
    if (!isLive) continue;
    const related = [txHash, ...outpoints.map(makerOf).filter((maker) => byHash.has(maker))];
    const all = new Set(related.flatMap((one) => [one, ...families.get(one) ?? []]));
    for (const one of all) families.set(one, all);
  }
  const makersOf = (txHash: string) =>
    (byHash.get(txHash)?.outpoints ?? []).map(makerOf)
      .filter((maker) => byHash.get(maker)?.isLive);
  const spendersOf = (txHash: string) =>
    open.filter(({ outpoints }) => outpoints.some((one) => makerOf(one) === txHash))
      .map((one) => one.txHash);
  return {
    isSound,
    lostOf,
    familyOf: (txHash) => families.get(txHash) ?? new Set([txHash]),
    before: (txHash) => reachedFrom(txHash, makersOf),
    after: (txHash) => reachedFrom(txHash, spendersOf),
  };
}

/** Without itself. */
function reachedFrom(
  txHash: string,
  next: (txHash: string) => readonly string[],
): ReadonlySet<string> {
  const reached = new Set<string>();
  const queue = [txHash];
  for (let one = queue.pop(); one !== undefined; one = queue.pop()) {
    const others = next(one).filter((other) => !reached.has(other));
    for (const other of others) reached.add(other);
    queue.push(...others);
  }
  return reached;
}

export function makerOf(outpoint: string): string {
  return outpoint.slice(0, outpoint.indexOf(":"));
}
