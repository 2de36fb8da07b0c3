/** A customer has no number: the merchant's own name for them is part of the address. */
export function customerPath(
  { accountId, userIdentifier }: { accountId: number | null; userIdentifier: string },
): string {
  const account = accountId === null ? {} : { account: String(accountId) };
  return `/customers?${new URLSearchParams({ user: userIdentifier, ...account })}`;
}
