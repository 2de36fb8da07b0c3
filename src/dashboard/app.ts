import { Hono, type MiddlewareHandler } from "hono";
import { isCanonicalPath, rawPath, rawTarget } from "../base/net/request_target.ts";
import { assetResponse, ASSETS } from "./assets/assets.ts";
import { createCookies } from "./cookies.ts";
import { Handlers } from "./handle.ts";
import { LIVE_PATH } from "./live.ts";
import { GUEST_ROUTES, ROUTES } from "./pages.ts";
import type { DashboardEnv, DashboardOptions } from "./request.ts";
import type { GuestRoute, Route } from "./routes.ts";
import { BASE, NotFound } from "./visit.ts";

/** Each path must have one spelling, so that no other reaches what it is checked for. */
const oneSpelling: MiddlewareHandler<DashboardEnv> = async (c, next) => {
  if (!isCanonicalPath(rawPath(rawTarget(c.req.url)))) throw new NotFound();
  await next();
};

/** Handles everything below /dashboard. */
export function createDashboard(options: DashboardOptions): Hono<DashboardEnv> {
  const app = new Hono<DashboardEnv>();
  const cookies = createCookies({ isSecure: options.publicUrl.startsWith("https:") });
  const handle = new Handlers({ ...options, cookies });
  app.use(handle.begin(), oneSpelling);
  app.onError((error, c) => handle.fault(error, c));
  app.notFound((c) => handle.notFound(c));
  // Reached only where the dashboard has a listener of its own.
  app.get("/", (c) => c.redirect(BASE));
  app.get(`${BASE}/`, (c) => c.redirect(BASE, 308));
  for (const asset of ASSETS) app.get(asset.path, () => assetResponse(asset));
  app.use(handle.inTurn());
  for (const route of GUEST_ROUTES) addGuestRoute(app, { handle, route });
  for (const route of ROUTES) addRoute(app, { handle, route });
  return app;
}

interface Adding<R> {
  readonly handle: Handlers;
  readonly route: R;
}

function addGuestRoute(app: Hono<DashboardEnv>, { handle, route }: Adding<GuestRoute>): void {
  if (route.kind === "page") app.get(BASE + route.path, handle.guestPage(route));
  else app.post(BASE + route.path, handle.guestAct(route));
}

function addRoute(app: Hono<DashboardEnv>, { handle, route }: Adding<Route>): void {
  const path = route.path === "/" ? BASE : BASE + route.path;
  if (route.path === "/prove" && route.kind === "act") {
    return void app.post(path, handle.prove(route, (request, env) => app.fetch(request, env)));
  }
  if (route.kind === "act") return void app.post(path, handle.act(route));
  if (route.kind === "raw") return void app.get(path, handle.raw(route));
  app.get(path, handle.page(route));
  const { live } = route;
  if (live) app.get(`${path}${LIVE_PATH}`, handle.live({ ...route, live }));
}
