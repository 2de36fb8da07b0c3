import { parseIp } from "./cidr.ts";

/** IPv6 by /64, the least that one customer has, who may use any address in it. */
export function ipSource(text: string, bits: 48 | 64 = 64): string {
  const ip = parseIp(text);
  if (!ip) return text;
  if ("octets" in ip) return ip.toString();
  return `${ip.parts.slice(0, bits / 16).map((part) => part.toString(16)).join(":")}::/${bits}`;
}
