/** One top-up of an address at a time, or loan. */
export function gasClaim(address: string) {
  return { claim: `gas/${address}`, isOnce: false };
}

export function isGasClaim({ claim }: { readonly claim: string }): boolean {
  return claim.startsWith("gas/");
}
