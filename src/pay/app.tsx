import { type Context, Hono } from "hono";
import { sha256 } from "@noble/hashes/sha2.js";
import { chooseMethod } from "../actions/invoices/choose.ts";
import type { Deps } from "../actions/deps.ts";
import { toHex, utf8 } from "../base/bytes.ts";
import { htmlOf } from "../base/html.ts";
import { rawPath } from "../base/net/request_target.ts";
import { assetResponse } from "../dashboard/assets/assets.ts";
import { Refused } from "../domain/refusal.ts";
import { bodyReader } from "../http/read_body.ts";
import { type HttpEnv, queryOf, type RequestState } from "../http/request_state.ts";
import { ASSETS, BASE } from "./assets/assets.ts";
import { createPayLimits } from "./limits.ts";
import { createVersions } from "./versions.ts";
import { type Order, orderOf } from "./order.ts";
import { Frame, Page } from "./page.tsx";
import { type Language, languageFor, type Say, sayIn, type TextKey } from "./texts/texts.ts";

/** Nothing from others, and whoever is linked to learns nothing of the page. */
const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=()",
};

interface Visit {
  readonly token: string;
  readonly language: Language;
  readonly say: Say;
  readonly chosen: string | null;
}

const decoder = new TextDecoder();

type Asked = Context<HttpEnv, "/pay/:token">;

/** What payers see, who have nothing but an invoice's link. */
export function createPay(
  deps: Deps,
  { bodyTimeoutMs }: { bodyTimeoutMs: number },
): Hono<HttpEnv> {
  const limits = createPayLimits(deps);
  const readBody = bodyReader(bodyTimeoutMs);
  const versions = createVersions(deps, (token) => versionNow(deps, token));
  const assets = new Map(ASSETS.map((asset) => [asset.path, asset]));
  const app = new Hono<HttpEnv>();

  app.get(`${BASE}/assets/:hash/:name`, ({ env: { state } }) => {
    state.route = `${BASE}/assets`;
    const asset = assets.get(rawPath(state.target));
    if (!asset) throw new Refused("not_found");
    return assetResponse(asset);
  });

  app.get(`${BASE}/:token`, async (c) => {
    const { state } = routed(c, ":token");
    if (!limits.takePage(state.ip)) return await message(visitOf(c, null), "tooMany", 429);
    const order = await orderOf(deps, c.req.param("token"));
    const visit = visitOf(c, order ?? null);
    return order ? await show(order, visit) : await message(visit, "absent", 404);
  });

  app.get(`${BASE}/:token/state`, async (c) => {
    routed(c, ":token/state");
    const version = await versions.of(c.req.param("token"));
    if (version === null) throw new Refused("not_found");
    return Response.json({ version }, { headers: HEADERS });
  });

  app.post(`${BASE}/:token`, async (c) => {
    const { state } = routed(c, ":token");
    if (!limits.takeStart(state.ip)) return await message(visitOf(c, null), "tooMany", 429);
    const form = new URLSearchParams(decoder.decode(await readBody(c.req.raw)));
    const order = await orderOf(deps, c.req.param("token"));
    const visit = visitOf(c, order ?? null);
    if (!order) return await message(visit, "absent", 404);
    return await choose(deps, { order, visit, id: form.get("coin") ?? "" });
  });

  return app;
}

/** Gives the invoice an address on the coin's network. */
async function choose(
  deps: Deps,
  { order, visit, id }: { order: Order; visit: Visit; id: string },
): Promise<Response> {
  if (!order.coins.some((one) => one.id === id)) return await message(visit, "cannot", 400);
  const [network = "", currency = ""] = id.split(/\.(.*)/);
  try {
    await chooseMethod(deps, { row: order.row, coin: { network, currency } });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return await message(visit, "cannot", 503);
  }
  const query = new URLSearchParams({ lang: visit.language, coin: id });
  const location = `${BASE}/${visit.token}?${query}`;
  return new Response(null, { status: 303, headers: { ...HEADERS, location } });
}

function routed(
  { env: { state } }: Asked | Context<HttpEnv>,
  part: string,
): { state: RequestState } {
  state.route = `${BASE}/${part}`;
  return { state };
}

function visitOf(c: Asked, order: Order | null): Visit {
  const query = queryOf(c.env.state.target);
  const language = languageFor({
    chosen: query.get("lang"),
    accepted: c.req.raw.headers.get("accept-language"),
    invoice: order?.row.language ?? null,
  });
  const chosen = query.get("coin");
  const isOffered = order?.coins.some(({ id }) => id === chosen) ?? false;
  return {
    token: c.req.param("token"),
    language,
    say: sayIn(language),
    chosen: isOffered ? chosen : null,
  };
}

async function show(order: Order, { language, say, chosen }: Visit): Promise<Response> {
  const version = versionOf(order);
  return page(await htmlOf(<Page {...{ order, language, say, chosen, version }} />), 200);
}

async function message(
  { language, say }: Visit,
  key: TextKey,
  status: number,
): Promise<Response> {
  const text = say(key);
  const html = await htmlOf(
    <Frame say={say} language={language} title={text}>
      <h1>{text}</h1>
    </Frame>,
  );
  return page(html, status);
}

function page(html: string, status: number): Response {
  const retry = status === 429 || status === 503 ? { "retry-after": "60" } : {};
  const headers = { ...HEADERS, "content-type": "text/html; charset=utf-8", ...retry };
  return new Response(`<!doctype html>${html}`, { status, headers });
}

async function versionNow(deps: Deps, token: string): Promise<string | null> {
  const order = await orderOf(deps, token);
  return order ? versionOf(order) : null;
}

/** Another one means that there is something new to see. */
function versionOf(
  { status, paid, due, overpaid, payments, coins, isUnrated, row }: Order,
): string {
  const seen = payments.map(({ txHash, confirmations, needed }) => [
    txHash,
    Math.min(confirmations, needed),
  ]);
  const given = coins.map(({ target }) => target?.address);
  const shown = [status, paid, due, overpaid, seen, given, isUnrated, row.expiresAtMs];
  return toHex(sha256(utf8(JSON.stringify(shown)))).slice(0, 16);
}
