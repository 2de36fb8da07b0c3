/** One top-up of an address at a time, or loan. */
export function gasClaim(address: string) {
  return { claim: `gas/${address}`, isOnce: false };
}

/** One withdrawal of a gas wallet's coins at a time. */
export function withdrawGasClaim(address: string) {
  return { claim: `withdraw/${address}`, isOnce: false };
}

/** One change of an account's stake at a time. */
export function stakeClaim(address: string) {
  return { claim: `stake/${address}`, isOnce: false };
}
