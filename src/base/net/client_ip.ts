import { type Cidr, cidrContains, parseIp } from "./cidr.ts";

/** The rightmost forwarded address that is not a trusted proxy. */
export function clientIp(
  remoteIp: string,
  { forwardedFor, trusted }: { forwardedFor: string | null; trusted: readonly Cidr[] },
): string {
  if (trusted.length === 0 || forwardedFor === null || !isListed(remoteIp, trusted)) {
    return remoteIp;
  }
  const hops = forwardedFor.split(",").map((hop) => hop.trim());
  let ip = remoteIp;
  for (const hop of hops.reverse()) {
    if (!parseIp(hop)) return ip;
    ip = hop;
    if (!isListed(hop, trusted)) return hop;
  }
  return ip;
}

export function isListed(ip: string, list: readonly Cidr[]): boolean {
  const bytes = parseIp(ip);
  return bytes !== undefined && list.some((cidr) => cidrContains(cidr, bytes));
}
