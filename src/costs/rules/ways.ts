/**
 * How something was swept: by a transaction of its own, together with others, or with energy that
 * the gas wallet lent.
 */
export type Way = "single" | "batch" | "lent";

interface Swept {
  readonly lent: number;
  readonly other_mode: Way | null;
}

/** How sweeps of a currency went, or would have gone. */
export function wayText(way: Way, { lent, other_mode }: Swept): string {
  const isEnergyThere = lent > 0 || other_mode === "lent";
  if (way === "single") return isEnergyThere ? "burning coins" : "one by one";
  return way === "batch" ? "in batches" : "with staked energy";
}
