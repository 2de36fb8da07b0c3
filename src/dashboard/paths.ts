/** A customer has no number: the merchant's own name for them is part of the address. */
export function customerPath(
  { accountId, userIdentifier }: { accountId: number | null; userIdentifier: string },
): string {
  const account = accountId === null ? {} : { account: String(accountId) };
  return `/customers?${new URLSearchParams({ user: userIdentifier, ...account })}`;
}

/** Where a delivery's form goes. */
export function againPath({ endpointId, eventId }: { endpointId: number; eventId: number }) {
  return `/webhooks/${endpointId}/deliveries/${eventId}/again`;
}

/** A route's path with what a request's path named. */
export function filled(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/:(\w+)(\{[^}]*\})?/g, (_, name) => encodeURIComponent(params[name] ?? ""));
}
