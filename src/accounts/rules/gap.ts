/** From here on people are told: most wallets look 20 addresses ahead. */
const WARNED_FROM = 15;
const STEP = 50;

/** What to set in the wallet, with room for what comes; undefined: what wallets do by themselves does. */
function gapLimitFor(gap: number): number | undefined {
  return gap < WARNED_FROM ? undefined : STEP * Math.ceil((gap + STEP / 2) / STEP);
}

export function gapText(gap: number): string | undefined {
  const limit = gapLimitFor(gap);
  if (limit === undefined) return undefined;
  return `${gap} addresses in a row are unused, and most wallets look only 20 ahead: set the gap ` +
    `limit of the wallet to at least ${limit}, or it won't show what comes later`;
}
