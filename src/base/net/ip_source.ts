import { parseIp } from "./cidr.ts";

/** IPv6 by /64, the least that one customer has, who may use any address in it. */
export function ipSource(text: string, bits: 48 | 64 = 64): string {
  const ip = parseIp(text);
  if (!ip) return text;
  return "octets" in ip ? ip.toString() : prefixOf(ip.parts, bits);
}

function prefixOf(parts: readonly number[], bits: 48 | 64): string {
  return `${parts.slice(0, bits / 16).map((part) => part.toString(16)).join(":")}::/${bits}`;
}

interface Source {
  readonly name: string;
  /** How many times as much it may ask for as a single source. */
  readonly share: number;
}

/** One customer may have all of it, but a mobile carrier's customers share one. */
const SITE_SHARE = 10;

/**
 * Who an address counts as: itself, and for IPv6 also the /48 around it, because whoever has that
 * could otherwise be 65,536 sources. A limit per source must have room in each of them.
 */
export function ipSources(text: string): readonly [Source, ...Source[]] {
  const ip = parseIp(text);
  if (!ip || "octets" in ip) return [{ name: ip?.toString() ?? text, share: 1 }];
  return [
    { name: prefixOf(ip.parts, 64), share: 1 },
    { name: prefixOf(ip.parts, 48), share: SITE_SHARE },
  ];
}
