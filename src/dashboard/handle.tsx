import type { Context, Handler, MiddlewareHandler } from "hono";
import { htmlOf } from "../base/html.ts";
import { timingSafeEqual } from "node:crypto";
import { randomToken, utf8 } from "../base/bytes.ts";
import type { Cidr } from "../base/net/cidr.ts";
import { clientIp } from "../base/net/client_ip.ts";
import { TooBusy } from "../base/waiting/turns.ts";
import type { Deps } from "../actions/deps.ts";
import { findSession, isProven, type LiveSession } from "../actions/access/manage_sessions.ts";
import { OperatorError, Refused, TooManyTries } from "../domain/refusal.ts";
import { TamperedRow } from "../actions/books/tampered.ts";
import { Unavailable } from "../store/connection/faults.ts";
import type { Role } from "../store/tables/users.ts";
import { type Cookies, csrfOf, newVisitorToken } from "./cookies.ts";
import { createDoubles, type Doubles } from "./doubles.ts";
import type { EnvironmentSetting } from "./environment.ts";
import { Form, FormIncomplete, formReader } from "./form.ts";
import type { LiveStreams } from "./live.ts";
import { NAV } from "./pages.ts";
import { ProblemPage } from "./parts/page.tsx";
import { errorForUser } from "./words/refusals.ts";
import type { ActRoute, Done, Html, PageRoute, RawRoute, Route } from "./routes.ts";
import { isFromOwnPage, SECURITY_HEADERS } from "./security.ts";
import { ALL_WELL, type Standing, standingOf } from "./standing.ts";
import { BASE, Guest, NotFound, type RequestFacts, Visit } from "./visit.ts";

export interface DashboardOptions {
  readonly deps: Deps;
  readonly publicUrl: string;
  readonly trustedProxies: readonly Cidr[];
  readonly bodyTimeoutMs: number;
  readonly live: LiveStreams;
  /** Shown to operators only. */
  readonly environment: readonly EnvironmentSetting[];
}

export type DashboardEnv = {
  Bindings: { remoteIp: string };
  Variables: { requestId: string; userId?: number };
};

/** The same as the API's. */
const RETRY_AFTER_S = 2;

type C = Context<DashboardEnv>;
type HandleOptions = DashboardOptions & {
  readonly cookies: Cookies;
  readonly doubles: Doubles;
  readonly readForm: ReturnType<typeof formReader>;
};

/** A POST that none of our pages can have sent, or from a page loaded before the sign-in. */
class Forged extends Error {
  override name = "Forged";
}

/** Every request goes through one of these, so that no page can forget a check. */
export function createHandlers(given: Omit<HandleOptions, "doubles" | "readForm">) {
  const readForm = formReader(given.bodyTimeoutMs);
  const options = { ...given, readForm, doubles: createDoubles(given.deps.clock) };
  return {
    begin: begin(options),
    fault: (error: Error, c: C) => answerFault(options, { error, c }),
    notFound: (c: C) => answerFault(options, { error: new NotFound(), c }),
    guestPage: (route: PageRoute<Guest>): Handler<DashboardEnv> => async (c) => {
      const token = options.cookies.token(c) ?? newVisitorToken();
      options.cookies.setToken(c, token);
      const guest = new Guest(factsOf(options, { c, token, form: new Form() }));
      return await answer(options, { c, made: await route.show(guest) });
    },
    guestAct: (route: ActRoute<Guest>): Handler<DashboardEnv> => async (c) => {
      const { token, form } = await checkedForm(options, c);
      return await options.doubles.once({ token, form, path: c.req.path }, async () => {
        const guest = new Guest(factsOf(options, { c, token, form }));
        return await runAct(options, { c, route, visit: guest });
      });
    },
    page: (route: PageRoute): Handler<DashboardEnv> => async (c) => {
      const visit = await visitOf(options, { c, route });
      if (visit instanceof Response) return visit;
      return await answer(options, { c, made: await route.show(visit) });
    },
    act: (route: ActRoute): Handler<DashboardEnv> => async (c) => {
      const checked = await checkedForm(options, c);
      const visit = await visitOf(options, { c, route: { ...route.on, ...route }, ...checked });
      if (visit instanceof Response) return visit;
      const sent = { ...checked, path: c.req.path };
      return await options.doubles.once(sent, () => runAct(options, { c, route, visit }));
    },
    raw: (route: RawRoute): Handler<DashboardEnv> => async (c) => {
      const visit = await visitOf(options, { c, route });
      return visit instanceof Response ? visit : await route.respond(visit);
    },
    live: (route: PageRoute): Handler<DashboardEnv> => async (c) => {
      const visit = await visitOf(options, { c, route, isLive: true });
      if (visit instanceof Response) return visit;
      // If they may not see it, this throws before the stream begins, and they get a 404.
      await route.live!(visit);
      return options.live.open(visit, async () => {
        const live = await liveSession(options, c);
        return live && await route.live!(new Visit(visit.facts, live));
      });
    },
  };
}

function begin({ deps, publicUrl }: HandleOptions): MiddlewareHandler<DashboardEnv> {
  return async function begin(c, next) {
    const startedAtMs = performance.now();
    const requestId = randomToken(12);
    c.set("requestId", requestId);
    await next();
    for (const [name, value] of SECURITY_HEADERS) c.res.headers.set(name, value);
    if (publicUrl.startsWith("https:")) {
      c.res.headers.set("strict-transport-security", "max-age=31536000");
    }
    if (!c.res.headers.has("cache-control")) c.res.headers.set("cache-control", "no-store");
    c.res.headers.set("x-request-id", requestId);
    // The route rather than the path, because a set-up link is a secret.
    deps.log.info("dashboard request", {
      request_id: requestId,
      method: c.req.method,
      route: c.req.routePath,
      status: c.res.status,
      user_id: c.get("userId"),
      ms: Math.round((performance.now() - startedAtMs) * 100) / 100,
    });
  };
}

async function checkedForm(options: HandleOptions, c: C): Promise<{ token: string; form: Form }> {
  const token = options.cookies.token(c);
  if (!token || !isFromOwnPage(c.req.raw, options.publicUrl)) throw new Forged();
  const form = await options.readForm(c.req.raw);
  const [given, expected] = [utf8(form?.text("csrf") ?? ""), utf8(csrfOf(token))];
  if (!form || given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new Forged();
  }
  return { token, form };
}

interface VisitWanted {
  readonly c: C;
  readonly route: Pick<Route & PageRoute, "path" | "roles" | "isSensitive"> & {
    readonly on?: PageRoute;
  };
  readonly form?: Form;
  readonly isLive?: boolean;
}

/** Checks session, role and, for sensitive pages, a recent proof. */
async function visitOf(
  options: HandleOptions,
  { c, route, form = new Form(), isLive = false }: VisitWanted,
): Promise<Visit | Response> {
  const live = await liveSession(options, c);
  if (!live) {
    if (isLive) return new Response(null, { status: 401 });
    const isGet = c.req.method === "GET";
    return c.redirect(`${BASE}/sign-in${isGet ? nextOf(pathOf(c)) : ""}`, 303);
  }
  c.set("userId", live.user.id);
  if (route.roles && !route.roles.includes(live.user.role)) throw new NotFound();
  if (route.isSensitive && !isProven(live.session, options.deps.clock.nowMs())) {
    const params = c.req.param() as Record<string, string>;
    const back = route.on ? filled(route.on.path, params) : pathOf(c);
    return c.redirect(`${BASE}/prove${nextOf(back)}`, 303);
  }
  const token = options.cookies.token(c)!;
  const standing = await standingOf(options.deps, live.user);
  return new Visit(factsOf(options, { c, token, form, standing, role: live.user.role }), live);
}

async function liveSession(
  { deps, cookies }: HandleOptions,
  c: C,
): Promise<LiveSession | undefined> {
  const token = cookies.token(c);
  const live = token === undefined ? undefined : await findSession(deps, token);
  return live?.session.stage === "open" ? live : undefined;
}

function factsOf(
  { deps, trustedProxies, publicUrl, environment, cookies }: HandleOptions,
  { c, token, form, role, standing = ALL_WELL }: {
    c: C;
    token: string;
    form: Form;
    role?: Role;
    standing?: Standing;
  },
): RequestFacts {
  const forwardedFor = c.req.header("x-forwarded-for") ?? null;
  return {
    deps,
    publicUrl,
    environment,
    form,
    token,
    url: new URL(c.req.url),
    params: c.req.param() as Record<string, string>,
    origin: {
      ip: clientIp(c.env.remoteIp, { forwardedFor, trusted: trustedProxies }),
      userAgent: c.req.header("user-agent") ?? "",
    },
    csrf: csrfOf(token),
    pageId: randomToken(12),
    flash: cookies.takeFlash(c),
    nav: role === undefined ? [] : NAV[role],
    standing,
  };
}

async function runAct<V extends Guest>(
  options: HandleOptions,
  { c, route, visit }: { c: C; route: ActRoute<V>; visit: V },
): Promise<Response> {
  try {
    if (visit.facts.standing.suspended && !route.isPersonal) throw new Refused("account_suspended");
    return await answer(options, { c, made: await route.run(visit) });
  } catch (error) {
    const shown = error instanceof TooBusy ? new OperatorError(error.message) : errorForUser(error);
    if (!shown) throw error;
    visit.refuse(shown, filled(route.on.path, visit.facts.params));
    const isThrottled = shown instanceof TooManyTries;
    if (isThrottled) c.header("retry-after", String(shown.retryAfterS));
    const status = isThrottled ? 429 : 422;
    return await answer(options, { c, made: await route.on.show(visit), status });
  }
}

async function answer(
  { cookies }: HandleOptions,
  { c, made, status = 200 }: { c: C; made: Html | Done; status?: number },
): Promise<Response> {
  if (isDone(made)) {
    if (made.flash) cookies.setFlash(c, made.flash);
    if (made.token === null) cookies.dropToken(c);
    else if (made.token !== undefined) cookies.setToken(c, made.token);
    return c.redirect(BASE + (made.to === "/" ? "" : made.to), 303);
  }
  return c.html(`<!doctype html>${await htmlOf(made)}`, status as 200);
}

function isDone(made: Html | Done): made is Done {
  return typeof made === "object" && made !== null && "to" in made;
}

async function answerFault(
  options: HandleOptions,
  { error, c }: { error: Error; c: C },
): Promise<Response> {
  const problem = problemOf(error);
  const requestId = c.get("requestId");
  if (problem.status === 500) {
    options.deps.log.error("dashboard request failed", { request_id: requestId, error });
  }
  const { status, ...shown } = problem;
  const made = <ProblemPage {...shown} requestId={requestId} />;
  if (status === 503) c.header("retry-after", String(RETRY_AFTER_S));
  return await answer(options, { c, made, status });
}

function problemOf(error: Error): { status: number; title: string; text: string } {
  if (error instanceof NotFound || (error instanceof Refused && error.code === "not_found")) {
    return { status: 404, title: "Not found", text: "No such page, or you can't access it." };
  }
  if (error instanceof Refused && error.code === "body_too_slow") {
    const text = "The form took too long to arrive. Check the connection and try again.";
    return { status: 408, title: "Too slow", text };
  }
  if (error instanceof Forged) {
    const text = "This form belongs to another session. Reload the page and try again.";
    return { status: 403, title: "Please try again", text };
  }
  if (error instanceof FormIncomplete) {
    return { status: 400, title: "Please try again", text: "The form arrived incomplete." };
  }
  // The form's page can't be shown again, for the same reason.
  const shown = errorForUser(error);
  if (shown) return { status: 422, title: "That didn't work", text: shown.message };
  if ([Unavailable, TooBusy, TamperedRow].some((kind) => error instanceof kind)) {
    return { status: 503, title: "Busy", text: "Not available right now. Try again soon." };
  }
  return { status: 500, title: "Something went wrong", text: "It was logged under this request." };
}

function pathOf(c: C): string {
  const { pathname, search } = new URL(c.req.url);
  return pathname.slice(BASE.length) + search;
}

function nextOf(path: string): string {
  return path === "" || path === "/" ? "" : `?next=${encodeURIComponent(path)}`;
}

function filled(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/:(\w+)(\{[^}]*\})?/g, (_, name) => encodeURIComponent(params[name] ?? ""));
}
