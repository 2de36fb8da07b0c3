import { timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import { findSession, isProven, type LiveSession } from "../access/manage_sessions.ts";
import type { Deps } from "../deps/deps.ts";
import { randomToken, utf8 } from "../base/bytes.ts";
import type { Cidr } from "../base/net/cidr.ts";
import { clientIp } from "../base/net/client_ip.ts";
import type { Role } from "../access/rules/roles.ts";
import { type Cookies, csrfOf } from "./cookies.ts";
import type { Doubles } from "./doubles.ts";
import type { EnvironmentSetting } from "./environment.ts";
import { Form, type formReader } from "./form.ts";
import type { HeldForms } from "./held_forms.ts";
import type { LiveStreams } from "./live.ts";
import { SET_UP_FACTOR } from "../access/pages/second_factor.tsx";
import { mayFollow, NAV } from "./pages.ts";
import { filled } from "./paths.ts";
import { mayUse, type PageRoute, type Route } from "./routes.ts";
import { isFromOwnPage } from "./security.ts";
import { ALL_WELL, type Standing, standingOf } from "./standing.ts";
import type { NetworkRow } from "../networks/table.ts";
import { BASE, NotFound, type RequestFacts, Visit } from "./visit.ts";

export interface DashboardOptions {
  readonly deps: Deps;
  readonly publicUrl: string;
  readonly trustedProxies: readonly Cidr[];
  readonly bodyTimeoutMs: number;
  readonly live: LiveStreams;
  /** Shown to operators only. */
  readonly environment: readonly EnvironmentSetting[];
  /** The demo's program shows it. */
  readonly isDemo?: boolean;
}

export type DashboardEnv = {
  /** `hasPlace`: it is part of a request that has one of its session's places. */
  Bindings: { remoteIp: string; hasPlace?: true };
  Variables: { requestId: string; userId?: number };
};

export type C = Context<DashboardEnv>;
export type HandleOptions = DashboardOptions & {
  readonly cookies: Cookies;
  readonly doubles: Doubles;
  readonly readForm: ReturnType<typeof formReader>;
  readonly held: HeldForms;
};

/** A POST that none of our pages can have sent, or from a page loaded before the sign-in. */
export class Forged extends Error {
  override name = "Forged";
}

export async function checkedForm(
  options: HandleOptions,
  c: C,
): Promise<{ token: string; form: Form }> {
  const token = options.cookies.token(c);
  if (!token || !isFromOwnPage(c.req.raw, options.publicUrl)) throw new Forged();
  const form = await options.readForm(c.req.raw);
  if (!form || !isSameText(form.text("csrf"), csrfOf(token))) throw new Forged();
  return { token, form };
}

interface VisitWanted {
  readonly c: C;
  readonly route:
    & Pick<Route, "kind" | "ability" | "isBeforeFactor">
    & Pick<PageRoute, "isSensitive">
    & {
      readonly on?: PageRoute;
    };
  readonly form?: Form;
  readonly isLive?: boolean;
}

/** Checks session, role and, for sensitive pages, a recent proof. */
export async function visitOf(
  options: HandleOptions,
  { c, route, form = new Form(), isLive = false }: VisitWanted,
): Promise<Visit | Response> {
  const live = await liveSession(options, c);
  const back = route.on ? filled(route.on.path, c.req.param()) : pathOf(c);
  if (!live) return isLive ? new Response(null, { status: 401 }) : toSignIn(c, back);
  c.set("userId", live.user.id);
  if (!mayUse(live.user.role, route)) throw new NotFound();
  if (route.isSensitive && !isProven(live.session, options.deps.clock.nowMs())) {
    const sent = { sessionId: live.session.id, path: c.req.path, form };
    const held = route.kind === "act" ? options.held.keep(sent) : "";
    return c.redirect(`${BASE}/prove?${new URLSearchParams({ next: back, held })}`, 303);
  }
  const token = options.cookies.token(c)!;
  const standing = await standingOf(options.deps, live.user);
  if (standing.mustSetUp && !route.isBeforeFactor) {
    return isLive
      ? new Response(null, { status: 401 })
      : c.redirect(`${BASE}${SET_UP_FACTOR}`, 303);
  }
  const { networks } = await options.deps.catalog.current();
  const asking = { c, token, form, standing, networks, role: live.user.role };
  return new Visit(factsOf(options, asking), live);
}

/** From where it leads back to the page, or to the form that was sent too late. */
function toSignIn(c: C, back: string): Response {
  return c.redirect(`${BASE}/sign-in${nextOf(back)}`, 303);
}

export async function liveSession(
  { deps, cookies }: HandleOptions,
  c: C,
): Promise<LiveSession | undefined> {
  const token = cookies.token(c);
  const live = token === undefined ? undefined : await findSession(deps, token);
  return live?.session.stage === "open" ? live : undefined;
}

interface Asking {
  readonly c: C;
  readonly token: string;
  readonly form: Form;
  readonly role?: Role;
  readonly standing?: Standing;
  readonly networks?: readonly NetworkRow[];
}

export function factsOf(
  { deps, trustedProxies, publicUrl, environment, isDemo = false, cookies }: HandleOptions,
  { c, token, form, role, standing = ALL_WELL, networks = [] }: Asking,
): RequestFacts {
  const forwardedFor = c.req.header("x-forwarded-for") ?? null;
  const ip = clientIp(c.env.remoteIp, { forwardedFor, trusted: trustedProxies });
  return {
    deps,
    publicUrl,
    environment,
    isDemo,
    form,
    token,
    url: new URL(c.req.url),
    params: c.req.param(),
    origin: { ip, userAgent: c.req.header("user-agent") ?? "" },
    csrf: csrfOf(token),
    pageId: randomToken(12),
    flash: cookies.takeFlash(c),
    nav: role === undefined || standing.mustSetUp ? [] : NAV[role] ?? [],
    standing,
    networks,
    mayFollow,
  };
}

function pathOf(c: C): string {
  const { pathname, search } = new URL(c.req.url);
  return pathname.slice(BASE.length) + search;
}

function nextOf(path: string): string {
  return path === "" || path === "/" ? "" : `?next=${encodeURIComponent(path)}`;
}

function isSameText(given: string, expected: string): boolean {
  const [one, other] = [utf8(given), utf8(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
