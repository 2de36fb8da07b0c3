const HEAD = 4;
const TAIL = 4;

/** Same first four characters, after 0x or T, and same last four, in any case: address poisoning. */
export function looksLike(one: string, other: string): boolean {
  if (one.toLowerCase() === other.toLowerCase()) return false;
  return looksOf(one) === looksOf(other);
}

/** What people compare of an address. */
function looksOf(address: string): string {
  const bare = address.replace(/^(0x|T)/i, "").toLowerCase();
  return bare.slice(0, HEAD) + bare.slice(-TAIL);
}
