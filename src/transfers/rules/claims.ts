/** One top-up of an address at a time. */
export function gasClaim(address: string) {
  return { claim: `gas/${address}`, isOnce: false };
}
