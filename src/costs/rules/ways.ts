/**
 * How something was swept: by a transaction of its own, together with others, or with energy that
 * the gas wallet lent.
 */
export type Way = "single" | "batch" | "lent";

interface Swept {
  readonly lent: number;
  readonly other_mode: Way | null;
  readonly other_basis: "measured" | "documented" | null;
}

/** What an estimate of the other mode is made from. */
export function basisText(row: Swept): string {
  if (row.other_basis === "measured") return "by what such sweeps cost in this month";
  if (isOfEnergy(row)) return "by the coins that such sweeps usually take";
  const shared = row.other_mode === "batch" ? " when those of an hour share a transaction" : "";
  return `by the gas that such sweeps usually take${shared}, at the price that was paid`;
}

/** How sweeps of a currency went, or would have gone. */
export function wayText(way: Way, row: Swept): string {
  if (way === "single") return isOfEnergy(row) ? "burning coins" : "one by one";
  return way === "batch" ? "in batches" : "with staked energy";
}

function isOfEnergy({ lent, other_mode }: Swept): boolean {
  return lent > 0 || other_mode === "lent";
}
