import type { Handler, MiddlewareHandler } from "hono";
import { mustSetUpFactor } from "../access/require_second_factor.ts";
import { randomToken } from "../base/bytes.ts";
import { ipSource } from "../base/net/ip_source.ts";
import { streamed } from "../base/net/streamed.ts";
import type { Place } from "../base/waiting/shares.ts";
import { fileShares, pageShares, sessionShares, sourceShares } from "../domain/shares.ts";
import { KeptLooks } from "../base/waiting/kept_looks.ts";
import { answer, answerFault, runAct } from "./answers.tsx";
import { asSent, createHeldForms, HELD } from "./held_forms.ts";
import { newVisitorToken } from "./cookies.ts";
import { createDoubles } from "./doubles.ts";
import { Form, formReader } from "./form.ts";
import {
  type C,
  checkedForm,
  type DashboardEnv,
  factsOf,
  type HandleOptions,
  liveSession,
  visitOf,
} from "./request.ts";
import type { ActRoute, CsvFile, Figures, PageRoute, RawRoute } from "./routes.ts";
import { SECURITY_HEADERS } from "./security.ts";
import { Guest, NotFound, Visit } from "./visit.ts";

type Handling = Handler<DashboardEnv>;
type Dispatch = (request: Request, env: DashboardEnv["Bindings"]) => Response | Promise<Response>;

const PAGES_LOOKED_AT_MAX = 1_000;

/** Every request goes through one of these, so that no page can forget a check. */
export class Handlers {
  readonly #options: HandleOptions;
  /** Of open pages. */
  readonly #looks: KeptLooks<Figures>;

  constructor(given: Omit<HandleOptions, "doubles" | "held" | "readForm">) {
    const readForm = formReader(given.bodyTimeoutMs);
    const { clock } = given.deps;
    const [doubles, held] = [createDoubles(clock), createHeldForms(clock)];
    this.#options = { ...given, readForm, doubles, held };
    this.#looks = new KeptLooks(clock, { keysMax: PAGES_LOOKED_AT_MAX });
  }

  begin(): MiddlewareHandler<DashboardEnv> {
    return begin(this.#options);
  }

  /** Whoever asks for much at once holds up only themselves. Nothing of a form is read before. */
  inTurn(): MiddlewareHandler<DashboardEnv> {
    const { cookies, deps: { memory: { shares } } } = this.#options;
    return async function inTurn(c, next) {
      const token = cookies.token(c);
      if (token === undefined || c.env.hasPlace) await next();
      else await shares.run(sessionShares(token), next);
    };
  }

  fault(error: Error, c: C): Promise<Response> {
    return answerFault(this.#options, { error, c });
  }

  notFound(c: C): Promise<Response> {
    return this.fault(new NotFound(), c);
  }

  guestPage(route: PageRoute<Guest>): Handling {
    return async (c) => {
      const token = this.#options.cookies.token(c) ?? newVisitorToken();
      this.#options.cookies.setToken(c, token);
      const guest = new Guest(factsOf(this.#options, { c, token, form: new Form() }));
      const { shares } = this.#options.deps.memory;
      return await shares.run(
        sourceShares(ipSource(guest.origin.ip)),
        (place) =>
          place.turn(async () => await answer(this.#options, { c, made: await route.show(guest) })),
      );
    };
  }

  guestAct(route: ActRoute<Guest>): Handling {
    return async (c) => {
      const { token, form } = await checkedForm(this.#options, c);
      return await this.#options.doubles.once({ token, form, path: c.req.path }, async () => {
        const guest = new Guest(factsOf(this.#options, { c, token, form }));
        const { shares } = this.#options.deps.memory;
        const inTurn: Place["turn"] = (work) => shares.turn(sourceOf(guest), work);
        return await runAct(this.#options, { c, route, visit: guest, inTurn });
      });
    };
  }

  page(route: PageRoute): Handling {
    return async (c) => {
      const visit = await visitOf(this.#options, { c, route });
      if (visit instanceof Response) return visit;
      return await this.#inPlace(
        visit,
        (place) =>
          place.turn(async () => await answer(this.#options, { c, made: await route.show(visit) })),
      );
    };
  }

  act(route: ActRoute): Handling {
    return async (c) => {
      const options = this.#options;
      const checked = await checkedForm(options, c);
      const isSensitive = route.isSensitive ?? route.on.isSensitive ?? false;
      const visit = await visitOf(options, { c, route: { ...route, isSensitive }, ...checked });
      if (visit instanceof Response) return visit;
      const sent = { ...checked, path: c.req.path };
      // It may send a payment, which waits for nobody's turn.
      return await this.#inPlace(
        visit,
        ({ turn: inTurn }) =>
          options.doubles.once(sent, () => runAct(options, { c, route, visit, inTurn }))
            // An older look would make the page that follows load again, without what it says.
            .finally(() => this.#looks.forget()),
      );
    };
  }

  /** After the proof, the form that waited for it is sent on, and goes through every check again. */
  prove(route: ActRoute, dispatch: Dispatch): Handling {
    const prove = this.act(route);
    return async (c, next) => {
      const { held } = this.#options;
      const live = await liveSession(this.#options, c);
      const id = (await this.#options.readForm(c.req.raw.clone()))?.text(HELD) ?? "";
      const answer = await prove(c, next);
      if (!live || !(answer instanceof Response) || answer.status !== 303) return answer;
      const waiting = held.take({ sessionId: live.session.id, id });
      return waiting
        ? await dispatch(asSent(c.req.raw, waiting), { ...c.env, hasPlace: true })
        : answer;
    };
  }

  raw(route: RawRoute): Handling {
    return async (c) => {
      const visit = await visitOf(this.#options, { c, route });
      if (visit instanceof Response) return visit;
      const made = await this.#inPlace(visit, (place) => place.turn(() => route.respond(visit)));
      return made instanceof Response ? made : await this.#download(c, visit, made);
    };
  }

  async #download(c: C, { user }: Visit, { name, lines }: CsvFile): Promise<Response> {
    const headers = {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${name}.csv"`,
    };
    // A file that nobody reads would keep its place for ever.
    if (c.req.raw.method === "HEAD") return new Response(null, { headers });
    const place = await this.#options.deps.memory.shares.enter(fileShares(user));
    return streamed(ReadableStream.from(lines(place)), { headers }, place.leave);
  }

  #inPlace<T>({ user }: Visit, work: (place: Place) => Promise<T>): Promise<T> {
    return this.#options.deps.memory.shares.run(pageShares(user), work);
  }

  live({ live, ...route }: PageRoute & Required<Pick<PageRoute, "live">>): Handling {
    const { deps: { memory: { shares } } } = this.#options;
    const look = (visit: Visit): Promise<Figures> => {
      const { url: { pathname, search }, user: { id, role, accountId } } = visit;
      const who = route.isLiveForUser ? id : "";
      const owner = accountId === null ? `user ${id}` : `account ${accountId}`;
      return this.#looks.of(
        `${role} ${accountId} ${who} ${pathname}${search}`,
        () => shares.turn(`streams of ${owner}`, () => live(visit)),
      );
    };
    return async (c) => {
      const visit = await visitOf(this.#options, { c, route, isLive: true });
      if (visit instanceof Response) return visit;
      // If they may not see it, this throws before the stream begins, and they get a 404.
      await look(visit);
      // A stream that nobody reads would keep its place for ever.
      if (c.req.raw.method === "HEAD") return new Response(null);
      return this.#options.live.open(visit, async () => {
        const session = await liveSession(this.#options, c);
        if (!session || await mustSetUpFactor(visit.deps, session.user)) return undefined;
        return await look(new Visit(visit.facts, session));
      });
    };
  }
}

function sourceOf({ origin: { ip } }: Guest): string {
  return ipSource(ip);
}

function begin({ deps, publicUrl }: HandleOptions): MiddlewareHandler<DashboardEnv> {
  return async function begin(c, next) {
    const startedAtMs = performance.now();
    const requestId = randomToken(12);
    c.set("requestId", requestId);
    await next();
    setHeaders(c.res.headers, { requestId, isSecure: publicUrl.startsWith("https:") });
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

function setHeaders(
  headers: Headers,
  { requestId, isSecure }: { requestId: string; isSecure: boolean },
): void {
  for (const [name, value] of SECURITY_HEADERS) headers.set(name, value);
  if (isSecure) headers.set("strict-transport-security", "max-age=31536000");
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  headers.set("x-request-id", requestId);
}
