import { csrfOf } from "../../src/dashboard/cookies.ts";
import type { GuestRoute, Route } from "../../src/dashboard/routes.ts";
import { bent, type Random, strangeText } from "./fuzz.ts";
import { binary, type Recipe } from "./recipe.ts";

export interface DashboardFacts {
  readonly routes: readonly (Route | GuestRoute)[];
  /** Tokens of signed-in users: one for each role, and one whose proof is too old. */
  readonly tokens: readonly string[];
  /** Names and values that the forms of all pages have. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

const BASE = "/dashboard";
const VALUES = [
  "ETH",
  "USDT",
  "1",
  "0.5",
  "-1",
  "on",
  "off",
  `0x${"5a".repeat(20)}`,
  "all",
  "failed",
]
  .concat(["ann@example.com", "2026-01-31", "10.0.0.0/8", "1e5", "9".repeat(30), "0".repeat(200)]);
const QUERY_NAMES = ["cursor", "account", "network", "currency", "status", "state", "q", "next"]
  .concat(["direction", "actor", "subject", "webhook", "below", "from", "to", "page", "limit"])
  .concat(["held", "going", "user", "reference"]);

export function dashboardRecipe(random: Random, facts: DashboardFacts): Recipe {
  const route = random.pick(facts.routes);
  const token = random.chance(0.93) ? random.pick(facts.tokens) : strangeText(random);
  const isAct = route.kind === "act" ? random.chance(0.96) : random.chance(0.04);
  const isFile = isAct && random.chance(0.05);
  return {
    via: "dashboard",
    method: isAct ? "POST" : random.chance(0.98) ? "GET" : random.pick(["HEAD", "PUT", "DELETE"]),
    target: targetOf(random, route),
    headers: {
      host: "127.0.0.1",
      cookie: `cpg=${token.replace(/[^\w-]/g, "")}${random.chance(0.05) ? "; cpg-flash=e30" : ""}`,
      ...(isAct ? formHeaders(random, isFile) : {}),
      ...(random.chance(0.03) ? { host: random.pick(["a/v1/_ping?", "x@y", "[::1]:1"]) } : {}),
    },
    body: isAct ? formOf(random, { facts, token, isFile }) : null,
    ip: `10.9.${random.below(200)}.${random.below(256)}`,
    signedBy: null,
    offsetS: 0,
    isAborted: random.chance(0.01),
  };
}

function targetOf(random: Random, { path, kind, ...route }: Route | GuestRoute): string {
  const filled = path.replace(
    /:(\w+)(\{[^}]*\})?/g,
    () =>
      random.chance(0.75)
        ? random.pick(["1", "2", "3", "ETH", "USDT"])
        : encodeURIComponent(strangeText(random).toWellFormed().slice(0, 500)) || "x",
  );
  const whole = path === "/" ? BASE : `${BASE}${filled}`;
  const live = "live" in route && random.chance(0.05) ? "/live" : "";
  if (kind === "act" || random.chance(0.4)) return whole + live;
  const parts = Array.from({ length: 1 + random.below(3) }, () => {
    const value = random.chance(0.6) ? random.pick(VALUES) : strangeText(random).toWellFormed();
    return `${random.pick(QUERY_NAMES)}=${encodeURIComponent(value)}`;
  });
  const target = `${whole}${live}?${parts.join("&")}`;
  return random.chance(0.03)
    ? `/${bent(random, target).replace(/[^\x21-\x7e]/g, "").slice(1)}`
    : target;
}

const BOUNDARY = "fuzz";

function formHeaders(random: Random, isFile: boolean): Record<string, string> {
  const type = isFile
    ? `multipart/form-data; boundary=${BOUNDARY}`
    : random.chance(0.98)
    ? "application/x-www-form-urlencoded"
    : "multipart/form-data";
  if (random.chance(0.95)) return { "content-type": type, "sec-fetch-site": "same-origin" };
  return {
    "content-type": type,
    origin: random.pick(["http://127.0.0.1", "https://evil", "null"]),
  };
}

function formOf(
  random: Random,
  { facts, token, isFile }: { facts: DashboardFacts; token: string; isFile: boolean },
): string {
  const csrf = random.chance(0.9) ? csrfOf(token) : strangeText(random).toWellFormed();
  const form = new URLSearchParams({ csrf });
  for (let count = random.below(9); count > 0; count--) {
    const [name, value] = random.pick(facts.fields);
    form.append(name, valueOf(random, value));
  }
  const text = isFile ? withFile(random, form) : form.toString();
  const whole = random.chance(0.95) ? text : bent(random, text);
  return binary(new TextEncoder().encode(whole.slice(0, random.chance(0.99) ? 8_000 : 70_000)));
}

/** A file with lines of payouts, or something else. */
function withFile(random: Random, form: URLSearchParams): string {
  const lines = random.chance(0.6)
    ? Array.from(
      { length: random.below(40) },
      () => `${random.pick(VALUES)},${random.pick(VALUES)}`,
    )
    : [strangeText(random).toWellFormed(), '"'.repeat(random.below(5_000))];
  const parts = [...form].map(([name, value]) =>
    `name="${name.replace(/[\r\n"]/g, "")}"\r\n\r\n${value}`
  );
  const file = `name="file"; filename="payouts.csv"\r\n\r\n${lines.join("\n")}`;
  const all = [...parts, file].map((part) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; ${part}\r\n`
  );
  return `${all.join("")}--${BOUNDARY}--\r\n`;
}

function valueOf(random: Random, value: string): string {
  if (random.chance(0.5)) return value;
  return random.chance(0.6) ? random.pick(VALUES) : strangeText(random).toWellFormed();
}

/** The names and values of the fields in these pages' forms. */
export function fieldsOf(pages: readonly string[]): (readonly [string, string])[] {
  const fields = new Map<string, readonly [string, string]>();
  for (const page of pages) {
    let name = "";
    for (const [tag] of page.matchAll(/<(?:input|select|textarea|option|button)\b[^>]*>/g)) {
      name = /\bname="([^"]*)"/.exec(tag)?.[1] ?? name;
      const value = /\bvalue="([^"]*)"/.exec(tag)?.[1] ?? "1";
      if (name !== "" && name !== "csrf") fields.set(`${name}=${value}`, [name, value]);
    }
  }
  return [...fields.values()];
}
