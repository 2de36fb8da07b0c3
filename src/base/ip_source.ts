import { parseIp } from "./cidr.ts";

/** IPv6 in steps of /64: that is what one customer is given, and may pick any address of. */
export function ipSource(ip: string): string {
  const bytes = parseIp(ip);
  if (!bytes) return ip;
  if (bytes.length === 4) return bytes.join(".");
  const groups = [0, 2, 4, 6].map((at) => (bytes[at]! << 8 | bytes[at + 1]!).toString(16));
  return `${groups.join(":")}::/64`;
}
