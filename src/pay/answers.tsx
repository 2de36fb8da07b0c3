import { sha256 } from "@noble/hashes/sha2.js";
import type { Context } from "hono";
import { toBase64, utf8 } from "../base/bytes.ts";
import { htmlOf } from "../base/html.ts";
import { type HttpEnv, queryOf } from "../http/request_state.ts";
import type { Place } from "../base/waiting/shares.ts";
import { TooBusy } from "../base/waiting/turns.ts";
import { BUSY_RETRY_S } from "../domain/shares.ts";
import { type PayLimits, RETRY_AFTER_S } from "./limits.ts";
import { brandStyle, Frame, RELOAD_S } from "./page.tsx";
import { type Language, languageFor, type Say, sayIn, type TextKey } from "./texts/texts.ts";

/** Nothing from others, and whoever is linked to learns nothing of the page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

export const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": [...POLICY, "style-src 'self'"].join("; "),
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=()",
};

export interface Spoken {
  readonly language: Language;
  readonly say: Say;
}

export interface Visit extends Spoken {
  readonly token: string;
  readonly query: ReturnType<typeof queryOf>;
}

export function visitOf(c: Context<HttpEnv>, language: string | null): Visit {
  const query = queryOf(c.env.state.target);
  const spoken = languageFor({
    chosen: query.get("lang"),
    accepted: c.req.raw.headers.get("accept-language"),
    invoice: language,
  });
  return { token: c.req.param("token") ?? "", query, language: spoken, say: sayIn(spoken) };
}

export async function message(
  spoken: Spoken,
  key: TextKey,
  status: number,
  next?: Next,
): Promise<Response> {
  return page(await textPage(spoken, spoken.say(key), { next }), status);
}

/** While the gateway can't say anything about it. The page comes back by itself. */
export async function away(spoken: Spoken, status: number): Promise<Response> {
  const answer = page(await textPage(spoken, spoken.say("away"), { reloadS: RELOAD_S }), status);
  answer.headers.set("retry-after", String(RELOAD_S));
  return answer;
}

/** Made once for each language, because whoever floods us gets it all the time. */
export function createTooMany(): (spoken: Spoken, retryAfterS?: number) => Promise<Response> {
  const made = new Map<Language, string>();
  return async (spoken, retryAfterS = RETRY_AFTER_S) => {
    const html = made.get(spoken.language) ??
      await textPage(spoken, spoken.say("tooMany"), { reloadS: RETRY_AFTER_S });
    made.set(spoken.language, html);
    const answer = page(html, 429);
    answer.headers.set("retry-after", String(retryAfterS));
    return answer;
  };
}

/** A page within the limits of its visitor's address, whose parts are made in its turns. */
export type ShowPage = (
  c: Context<HttpEnv>,
  make: (turn: Place["turn"]) => Promise<Response>,
) => Promise<Response>;

export function createShown(
  limits: PayLimits,
  tooMany: ReturnType<typeof createTooMany>,
): ShowPage {
  return async (c, make) => {
    const { ip } = c.env.state;
    if (!limits.takePage(ip)) return await tooMany(visitOf(c, null));
    try {
      return await limits.page(ip, ({ turn }) => make(turn));
    } catch (error) {
      if (!(error instanceof TooBusy)) throw error;
      return await tooMany(visitOf(c, null), BUSY_RETRY_S);
    }
  };
}

/** Where whoever reads it can go on. */
interface Next {
  readonly href: string;
  readonly text: string;
}

/** With `reloadS` it looks by itself whether there is something else to show. */
export async function textPage(
  { say, language }: Spoken,
  text: string,
  { reloadS, next }: { reloadS?: number | undefined; next?: Next | undefined } = {},
): Promise<string> {
  return await htmlOf(
    <Frame say={say} language={language} title={text} reloadS={reloadS} isTest={false}>
      <div id="order" data-again={reloadS}>
        <div class="sum">
          <h1>{text}</h1>
          {reloadS === RELOAD_S && <p class="quiet">{say("reloads")}</p>}
          {next && (
            <p>
              <a class="button" href={next.href}>{next.text}</a>
            </p>
          )}
        </div>
      </div>
    </Frame>,
  );
}

export function seeOther(location: string): Response {
  return new Response(null, { status: 303, headers: { ...HEADERS, location } });
}

export function page(html: string, status: number, colour: string | null = null): Response {
  const retry = status === 429 || status === 503 ? { "retry-after": String(RETRY_AFTER_S) } : {};
  const type = { "content-type": "text/html; charset=utf-8" };
  const headers = { ...HEADERS, ...type, ...retry, ...colour === null ? {} : allowing(colour) };
  return new Response(`<!doctype html>${html}`, { status, headers });
}

/** Only this one style of the page's own. */
function allowing(colour: string): Record<string, string> {
  const hash = toBase64(sha256(utf8(brandStyle(colour))));
  const policy = [...POLICY, `style-src 'self' 'sha256-${hash}'`];
  return { "content-security-policy": policy.join("; ") };
}

/** Another site's form would make its visitors start or pay invoices without knowing. */
export function isForeign({ headers }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  return site !== null && site !== "same-origin" && site !== "none";
}
