import type { Endpoint } from "../../src/http/endpoint.ts";
import type { Credentials } from "../support/api_client.ts";
import { hostileBody } from "../support/programs/hostile_bodies.ts";
import { bent, bentJson, type Random, strangeText } from "./fuzz.ts";
import { binary, type Recipe } from "./recipe.ts";

export interface ApiFacts {
  readonly endpoints: readonly Pick<Endpoint, "method" | "path">[];
  /** May do everything. */
  readonly keys: readonly Credentials[];
  /** Lack permissions, addresses or requests. */
  readonly weakKeys: readonly Credentials[];
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "PROPFIND", "get"];
const OPERATIONS = ["/healthz", "/readyz", "/metrics"];
const QUERY_NAMES = ["currency", "network", "limit", "cursor", "direction", "status", "x"];
const QUERY_VALUES = ["ETH", "eth", "USDT", "1", "50", "200", "201", "0", "deposit", "withdrawal"]
  .concat(["detected", "confirmed", "failed", "9007199254740991", "9007199254740993", "1e3"]);
const PAYEE = `0x${"5a".repeat(20)}`;
/** More than there is, nearly always: each that is taken costs a transaction. */
const PAYABLE_SHARE = 0.01;

export function apiRecipe(random: Random, facts: ApiFacts): Recipe {
  const { method, path } = random.pick(facts.endpoints);
  const isProbe = random.chance(0.02);
  const target = isProbe ? random.pick(OPERATIONS) : filled(random, path);
  const isSigned = random.chance(0.85);
  return {
    via: "api",
    method: random.chance(0.95) ? method : random.pick(METHODS),
    target: random.chance(0.9) ? target : bentTarget(random, target),
    headers: headersOf(random, { isProbe }),
    body: method === "GET" && random.chance(0.97) ? null : bodyOf(random),
    ip: `10.${random.below(4)}.${random.below(256)}.${random.below(256)}`,
    signedBy: isSigned ? random.pick(random.chance(0.95) ? facts.keys : facts.weakKeys) : null,
    offsetS: random.chance(0.97) ? random.below(41) - 20 : random.below(2_000) - 1_000,
    isAborted: random.chance(0.005),
  };
}

function filled(random: Random, path: string): string {
  const whole = path.replace(
    /\{\w+\}/g,
    () =>
      random.chance(0.7) ? String(1 + random.below(3_000)) : encoded(random, strangeText(random)),
  );
  if (random.chance(0.5)) return whole;
  const parts = Array.from({ length: 1 + random.below(3) }, () => {
    const value = random.chance(0.7) ? random.pick(QUERY_VALUES) : strangeText(random);
    return `${random.pick(QUERY_NAMES)}${random.chance(0.95) ? "=" : ""}${encoded(random, value)}`;
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

function bodyOf(random: Random): string {
  const kind = random.below(1_000);
  if (kind < 3) return binary(hostileBody(random).bytes);
  if (kind < 60) return binary(hostileBody(random, { size: 256 + random.below(1_500) }).bytes);
  const order = orderOf(random);
  if (kind < 300) return utf8Binary(JSON.stringify(order));
  if (kind < 800) return utf8Binary(JSON.stringify(bentJson(random, order)));
  return utf8Binary(bent(random, JSON.stringify(order)));
}

/** The fields of all bodies together: each endpoint takes its own and leaves the others. */
function orderOf(random: Random): Record<string, unknown> {
  const reference = random.chance(0.5) ? `r${random.below(5_000)}` : undefined;
  return {
    currency: random.pick(["ETH", "ETH", "eth", "USDT", "NONE"]),
    network: random.pick(["ETH", "ETH", "eth", "NONE"]),
    to_address: random.pick([PAYEE, PAYEE, PAYEE.toUpperCase(), "0x1", `${PAYEE} `]),
    amount: random.chance(PAYABLE_SHARE)
      ? `0.00${1 + random.below(9)}`
      : random.pick(["1000000", "1e20", "0", 5000000, 1e-7, "-1", "1000000.000000000000000001"]),
    ...(random.chance(0.5) ? { user_identifier: `user-${random.below(500)}` } : {}),
    ...(reference === undefined ? {} : { client_reference: reference, idempotency_key: reference }),
  };
}

function utf8Binary(text: string): string {
  return binary(new TextEncoder().encode(text));
}
