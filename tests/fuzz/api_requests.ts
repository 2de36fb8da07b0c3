import { EVENT_TYPES } from "../../src/webhooks/rules/events.ts";
import type { Endpoint } from "../../src/http/endpoint.ts";
import type { Credentials } from "../support/api_client.ts";
import { hostileBody } from "../support/programs/hostile_bodies.ts";
import { bent, bentJson, type Random, strangeText } from "./fuzz.ts";
import { binary, type Recipe } from "./recipe.ts";

export interface ApiFacts {
  readonly endpoints: readonly Pick<Endpoint, "method" | "path" | "query" | "body">[];
  readonly eventIds: readonly string[];
  /** May do everything. */
  readonly keys: readonly Credentials[];
  /** Lack permissions, addresses or requests. */
  readonly weakKeys: readonly Credentials[];
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "PROPFIND", "get"];
const OPERATIONS = ["/healthz", "/readyz", "/metrics", "/openapi.json", "/docs", "/docs/sign"];
const PAYEE = `0x${"5a".repeat(20)}`;
/** Nobody is reached there. */
const WEBHOOK_URLS = ["https://a.invalid/", "https://A.invalid:8443/?x", "http://127.0.0.1/", "x"]
  .concat([
    "https://[::1]/",
    "https://[64:ff9b::a00:1]/",
    "https://2130706433/",
    "https://a.local",
  ]);
const TIMES = ["2026-01-31", "2026-01-31T12:00:00+01:00", "1970-01-01", "9999-12-31T23:59:59Z"];
const ADDRESSES = [PAYEE, PAYEE.toUpperCase(), "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"];
/** What each parameter may say. Those of no endpoint here are tried as they are. */
const QUERY_VALUES: Readonly<Record<string, readonly string[]>> = {
  network: ["ETH", "eth", "NONE"],
  currency: ["ETH", "eth", "USDT"],
  limit: ["1", "50", "200", "201", "0"],
  cursor: ["1", "50", "9007199254740991", "9007199254740993", "1e3", "6576656e742031"],
  direction: ["deposit", "withdrawal", "sweep"],
  status: ["detected", "confirmed", "failed", "pending", "settled", "active", "expired"],
  kind: ["credit", "hold", "release", "debit", "adjust", "gift"],
  from: TIMES,
  until: TIMES,
  address: ADDRESSES,
  to_address: ADDRESSES,
  tx_hash: ["ab".repeat(32), `0x${"AB".repeat(32)}`, "0x12"],
  user_identifier: ["user-1", "user-2"],
  client_reference: ["r1", "r2"],
  nonce: ["1", ""],
  x: ["1"],
};
/** More than there is, nearly always: each that is taken costs a transaction. */
const PAYABLE_SHARE = 0.01;

export function apiRecipe(random: Random, facts: ApiFacts): Recipe {
  const endpoint = random.pick(facts.endpoints);
  const { method } = endpoint;
  const isProbe = random.chance(0.02);
  const target = isProbe ? random.pick(OPERATIONS) : filled(random, { endpoint, facts });
  const isSigned = random.chance(0.85);
  return {
    via: "api",
    method: random.chance(0.95) ? method : random.pick(METHODS),
    target: random.chance(0.9) ? target : bentTarget(random, target),
    headers: headersOf(random, { isProbe }),
    body: method === "GET" && random.chance(0.97) ? null : bodyOf(random, endpoint),
    ip: `10.${random.below(4)}.${random.below(256)}.${random.below(256)}`,
    signedBy: isSigned ? random.pick(random.chance(0.95) ? facts.keys : facts.weakKeys) : null,
    offsetS: random.chance(0.97) ? random.below(41) - 20 : random.below(2_000) - 1_000,
    isAborted: random.chance(0.005),
  };
}

type Asked = ApiFacts["endpoints"][number];

function filled(
  random: Random,
  { endpoint, facts: { eventIds } }: { endpoint: Asked; facts: ApiFacts },
): string {
  const whole = endpoint.path.replace(/\{(\w+)\}/g, (_, name) => {
    if (random.chance(0.3)) return encoded(random, strangeText(random));
    const isEvent = name === "event_id" && eventIds.length > 0;
    return isEvent ? random.pick(eventIds) : String(1 + random.below(random.pick([20, 3_000])));
  });
  if (random.chance(0.4)) return whole;
  const own = [...Object.keys(endpoint.query?.shape ?? {}), "nonce"];
  const parts = Array.from({ length: 1 + random.below(3) }, () => {
    const name = random.pick(random.chance(0.9) ? own : Object.keys(QUERY_VALUES));
    const known = QUERY_VALUES[name] ?? [];
    const isKnown = known.length > 0 && random.chance(0.8);
    const value = isKnown ? random.pick(known) : strangeText(random);
    return `${name}${random.chance(0.95) ? "=" : ""}${encoded(random, value)}`;
  });
  return `${whole}?${parts.join("&")}`;
}

/** Only what can be sent in a header. */
function encoded(random: Random, text: string): string {
  if (text.isWellFormed() && random.chance(0.7)) return encodeURIComponent(text);
  return text.replace(/[^\x21-\x7e]/g, "") || "%ff";
}

function bentTarget(random: Random, target: string): string {
  const ways = [
    () => target.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    () => target.replace("/", "//"),
    () => target.replace("/v1", "/v1/."),
    () => target.replace("/v1", "/x/../v1"),
    () => target.replace("/v1", "/V1"),
    () => `${target}/`,
    () => target.replace("/v1", "/dashboard"),
    () => `${target}?${"a=b&".repeat(500)}`,
    () => `/${bent(random, target).replace(/[^\x21-\x7e]/g, "").slice(1)}`,
  ];
  return random.pick(ways)();
}

function headersOf(random: Random, { isProbe }: { isProbe: boolean }): Record<string, string> {
  const headers: Record<string, string> = {};
  if (isProbe && random.chance(0.5)) headers.authorization = `Bearer ${word(random)}`;
  if (random.chance(0.15)) headers.accept = random.pick(["text/csv", "text/csv;q=0.5, */*", ","]);
  if (random.chance(0.9)) return headers;
  const ways: (() => void)[] = [
    () => headers["x-cpg-key"] = word(random),
    () =>
      headers["x-cpg-timestamp"] = random.pick(["1e9", "-1", "9".repeat(400), "0x5", "1.5", "a"]),
    () =>
      headers["x-cpg-signature"] = random.pick(["0".repeat(64), "f", "z".repeat(64), word(random)]),
    () => headers["content-length"] = random.pick(["0", "1", "99999999", "-1", "1, 1", "x"]),
    () => headers["transfer-encoding"] = "chunked",
    () => headers.host = random.pick(["a/dashboard/sign-in?", "x", "[::1]", "a@b", "127.0.0.1:1"]),
    () => headers["x-forwarded-for"] = random.pick(["1.2.3.4", "::1, x", ",,,", "9".repeat(5_000)]),
    () => headers.cookie = `cpg=${word(random)}`,
    () => headers["content-type"] = random.pick(["text/plain", "application/json", "multipart/x"]),
    () => headers[word(random).toLowerCase() || "x"] = word(random),
  ];
  for (let count = 1 + random.below(3); count > 0; count--) random.pick(ways)();
  return headers;
}

function word(random: Random): string {
  return strangeText(random).replace(/[^\w-]/g, "") || "x";
}

function bodyOf(random: Random, { body }: Asked): string {
  if (body === undefined && random.chance(0.8)) return "";
  const kind = random.below(1_000);
  if (kind < 3) return binary(hostileBody(random).bytes);
  if (kind < 60) return binary(hostileBody(random, { size: 256 + random.below(1_500) }).bytes);
  const order = random.chance(0.9) ? fieldsOf(random, body) : orderOf(random);
  if (kind < 300) return utf8Binary(JSON.stringify(order));
  if (kind < 800) return utf8Binary(JSON.stringify(bentJson(random, order)));
  return utf8Binary(bent(random, JSON.stringify(order)));
}

/** Some endpoints refuse what isn't theirs, and then look no further. */
function fieldsOf(random: Random, body: Asked["body"]): Record<string, unknown> {
  const own = Object.keys(body?.shape ?? {});
  return Object.fromEntries(Object.entries(orderOf(random)).filter(([name]) => own.includes(name)));
}

/** The fields of all bodies together. */
function orderOf(random: Random): Record<string, unknown> {
  const reference = random.chance(0.5) ? `r${random.below(5_000)}` : undefined;
  return {
    currency: random.pick(["ETH", "ETH", "eth", "USDT", "NONE"]),
    network: random.pick(["ETH", "ETH", "eth", "NONE"]),
    to_address: random.pick([PAYEE, PAYEE, PAYEE.toUpperCase(), "0x1", `${PAYEE} `]),
    amount: random.chance(PAYABLE_SHARE)
      ? `0.00${1 + random.below(9)}`
      : random.pick(["1000000", "1e20", "0", 5000000, 1e-7, "-1", "1000000.000000000000000001"]),
    url: random.pick(WEBHOOK_URLS),
    ...(random.chance(0.5) ? { events: [random.pick(EVENT_TYPES), "deposit.confirmed"] } : {}),
    ...(random.chance(0.3) ? { active: random.chance(0.5) } : {}),
    ...(random.chance(0.5) ? { user_identifier: `user-${random.below(500)}` } : {}),
    ...(reference === undefined ? {} : { client_reference: reference, idempotency_key: reference }),
  };
}

function utf8Binary(text: string): string {
  return binary(new TextEncoder().encode(text));
}
