import { parseIp } from "./cidr.ts";

/** IPv6 by /64, the least that one customer has, who may use any address in it. */
export function ipSource(ip: string, bits: 48 | 64 = 64): string {
  const bytes = parseIp(ip);
  if (!bytes) return ip;
  if (bytes.length === 4) return bytes.join(".");
  const groups = [];
  for (let at = 0; at < bits / 8; at += 2) {
    groups.push((bytes[at]! << 8 | bytes[at + 1]!).toString(16));
  }
  return `${groups.join(":")}::/${bits}`;
}
