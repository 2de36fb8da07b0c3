import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

export type Ip = ipaddr.IPv4 | ipaddr.IPv6;

/** "10.0.0.0/8", "::1" or "fd00::/8". */
export interface Cidr {
  readonly ip: Ip;
  readonly prefixBits: number;
}

/** ::ffff:1.2.3.4 is its IPv4 address. The zone of an IPv6 address is removed. */
export function parseIp(text: string): Ip | undefined {
  const [, plain = "", zone] = /^([^%]*)(%.*)?$/.exec(text) ?? [];
  if (!isIP(plain) || (zone && !plain.includes(":"))) return undefined;
  // isIP refuses 010.1 and 0x7f.1, which ipaddr.js reads; it takes ::1.2.3.4 for ::ffff:1.2.3.4.
  return ipaddr.process(plain.replace(/^::(?=\d+\.)/, "::0:"));
}

export function parseCidr(text: string): Cidr | undefined {
  const [address = "", prefix, ...rest] = text.split("/");
  const ip = parseIp(address);
  if (!ip || rest.length > 0) return undefined;
  const bits = bitsOf(ip);
  if (prefix === undefined) return { ip, prefixBits: bits };
  if (!/^\d{1,3}$/.test(prefix)) return undefined;
  const isMapped = address.includes(":") && bits === 32;
  const prefixBits = Number(prefix) - (isMapped ? 96 : 0);
  return prefixBits >= 0 && prefixBits <= bits ? { ip, prefixBits } : undefined;
}

export function cidrText({ ip, prefixBits }: Cidr): string {
  return `${ip.toNormalizedString()}/${prefixBits}`;
}

export function cidrContains(cidr: Cidr, ip: Ip): boolean {
  return cidr.ip.kind() === ip.kind() && ip.match(cidr.ip, cidr.prefixBits);
}

function bitsOf(ip: Ip): 32 | 128 {
  return ip.kind() === "ipv4" ? 32 : 128;
}
