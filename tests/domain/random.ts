/** Random, and the same again for the same seed (mulberry32). */
export interface Random {
  readonly seed: number;
  /** From 0 to below `limit`. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  digits(count: number): string;
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = state + 0x6d2b79f5 >>> 0;
    let mixed = Math.imul(state ^ state >>> 15, state | 1);
    mixed ^= mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61);
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    seed,
    below,
    chance: (probability) => next() < probability,
    pick: (items) => items[below(items.length)]!,
    digits: (count) => Array.from({ length: count }, () => below(10)).join(""),
  };
}
