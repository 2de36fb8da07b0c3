/** An IP address as bytes: 4 for IPv4 (also when written as ::ffff:1.2.3.4), 16 for IPv6. */
export function parseIp(text: string): Uint8Array | undefined {
  if (text.includes(":")) return unmapped(parseIpv6(text.replace(/%.*$/, "")));
  return parseIpv4(text);
}

/** "10.0.0.0/8", "::1" or "fd00::/8". */
export interface Cidr {
  readonly bytes: Uint8Array;
  readonly prefixBits: number;
}

export function parseCidr(text: string): Cidr | undefined {
  const [address = "", prefix, ...rest] = text.split("/");
  const bytes = parseIp(address);
  if (!bytes || rest.length > 0) return undefined;
  if (prefix === undefined) return { bytes, prefixBits: bytes.length * 8 };
  if (!/^\d{1,3}$/.test(prefix)) return undefined;
  const isMapped = address.includes(":") && bytes.length === 4;
  const prefixBits = Number(prefix) - (isMapped ? 96 : 0);
  return prefixBits >= 0 && prefixBits <= bytes.length * 8 ? { bytes, prefixBits } : undefined;
}

export function cidrText({ bytes, prefixBits }: Cidr): string {
  if (bytes.length === 4) return `${bytes.join(".")}/${prefixBits}`;
  const groups = Array.from({ length: 8 }, (_, i) => bytes[2 * i]! << 8 | bytes[2 * i + 1]!);
  return `${groups.map((group) => group.toString(16)).join(":")}/${prefixBits}`;
}

export function cidrContains(cidr: Cidr, ip: Uint8Array): boolean {
  if (cidr.bytes.length !== ip.length) return false;
  for (let bit = 0; bit < cidr.prefixBits; bit += 8) {
    const mask = 0xff << Math.max(0, 8 - (cidr.prefixBits - bit)) & 0xff;
    if ((cidr.bytes[bit / 8]! & mask) !== (ip[bit / 8]! & mask)) return false;
  }
  return true;
}

function parseIpv4(text: string): Uint8Array | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  if (!parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) {
    return undefined;
  }
  return Uint8Array.from(parts, Number);
}

function parseIpv6(text: string): Uint8Array | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const head = groups(halves[0]!, { mayEndInIpv4: halves.length === 1 });
  const tail = halves.length === 2 ? groups(halves[1]!, { mayEndInIpv4: true }) : [];
  if (!head || !tail) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const all = [...head, ...Array<number>(missing).fill(0), ...tail];
  return Uint8Array.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}

function groups(
  text: string,
  { mayEndInIpv4 }: { mayEndInIpv4: boolean },
): number[] | undefined {
  if (text === "") return [];
  const parts = text.split(":");
  const last = parts.at(-1)!;
  if (mayEndInIpv4 && last.includes(".")) {
    const v4 = parseIpv4(last);
    if (!v4) return undefined;
    parts.splice(-1, 1, (v4[0]! << 8 | v4[1]!).toString(16), (v4[2]! << 8 | v4[3]!).toString(16));
  }
  return parts.every((part) => /^[0-9a-fA-F]{1,4}$/.test(part))
    ? parts.map((part) => parseInt(part, 16))
    : undefined;
}

function unmapped(bytes: Uint8Array | undefined): Uint8Array | undefined {
  if (!bytes) return undefined;
  const isMapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255 &&
    bytes[11] === 255;
  return isMapped ? bytes.slice(12) : bytes;
}
