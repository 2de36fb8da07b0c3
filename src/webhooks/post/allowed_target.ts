import ipaddr from "ipaddr.js";
import { cidrContains, type Ip, parseCidr, parseIp } from "../../base/net/cidr.ts";
import { present } from "../../base/assert.ts";

/** Everything outside the public internet (IANA's special-purpose registries, cloud metadata). */
const REFUSED_IPV4 = ranges([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
]);

/** In IPv6 only global unicast is public, except ranges for tunnels, documentation and benchmarks. */
const PUBLIC_IPV6 = ranges(["2000::/3"]);
const REFUSED_IPV6 = ranges(["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]);
const NAT64 = ranges(["64:ff9b::/96"]);

/** Ports above 1023 on which other services commonly listen on public hosts. */
const REFUSED_PORTS: ReadonlySet<number> = new Set([
  1433,
  1521,
  1719,
  1720,
  1723,
  2049,
  2375,
  2376,
  2379,
  2380,
  3306,
  3389,
  3659,
  4045,
  4190,
  5060,
  5061,
  5432,
  5672,
  5900,
  6000,
  6379,
  6443,
  6566,
  6665,
  6666,
  6667,
  6668,
  6669,
  6679,
  6697,
  9200,
  9300,
  10080,
  10250,
  11211,
  27017,
]);

/** Names that are never on the public internet (RFC 6761, RFC 6762, RFC 8375, and ICANN's .internal). */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|home\.arpa)\.?$/;

/** How the server's operator can allow it, unless the address is malformed. */
export const ALLOWED_BY = "CPG_WEBHOOK_ALLOW_PRIVATE=true allows it";

/** For addresses that were looked up or written in the URL. */
export function isPublicAddress(text: string): boolean {
  const ip = parseIp(text);
  if (!ip) return false;
  if (ip.kind() === "ipv4") return !isIn(REFUSED_IPV4, ip);
  if (isIn(NAT64, ip)) return !isIn(REFUSED_IPV4, new ipaddr.IPv4(ip.toByteArray().slice(12)));
  return isIn(PUBLIC_IPV6, ip) && !isIn(REFUSED_IPV6, ip);
}

/** Why nothing can ever be sent there, whatever is allowed. Undefined if it can. */
export function malformedUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return "it is not a web address";
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return "it carries a user name or password";
  return /^https?:$/.test(url.protocol) ? undefined : "it is not an https address";
}

/** Why nothing may be sent there, whatever the name resolves to. Undefined if it may. */
export function refusedUrl(
  text: string,
  { isPrivateAllowed }: { isPrivateAllowed: boolean },
): string | undefined {
  const malformed = malformedUrl(text);
  if (malformed !== undefined || isPrivateAllowed) return malformed;
  const url = new URL(text);
  if (url.protocol !== "https:") return "it is not an https address";
  const port = portOf(url);
  if ((port < 1024 && port !== 443) || REFUSED_PORTS.has(port)) {
    return `port ${port} is not allowed`;
  }
  const host = hostOf(url);
  if (PRIVATE_NAME.test(host)) return `${host} is not a name of the public internet`;
  return parseIp(host) && !isPublicAddress(host)
    ? `${host} is not an address of the public internet`
    : undefined;
}

/** Without the brackets around an IPv6 address. `URL` has already normalised unusual notations. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

export function portOf(url: URL): number {
  return url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
}

function ranges(texts: readonly string[]) {
  return texts.map((text) => present(parseCidr(text), `${text} is a range`));
}

function isIn(list: ReturnType<typeof ranges>, ip: Ip): boolean {
  return list.some((range) => cidrContains(range, ip));
}
