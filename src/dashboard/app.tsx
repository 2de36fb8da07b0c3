import { Hono, type MiddlewareHandler } from "hono";
import { isCanonicalPath, rawPath, rawTarget } from "../base/net/request_target.ts";
import { assetResponse, ASSETS } from "./assets/assets.ts";
import { createCookies } from "./cookies.ts";
import { createHandlers, type DashboardEnv, type DashboardOptions } from "./handle.tsx";
import { LIVE_PATH } from "./live.ts";
import { GUEST_ROUTES, ROUTES } from "./pages.ts";
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
  const handle = createHandlers({ ...options, cookies });
  app.use(handle.begin, oneSpelling);
  app.onError(handle.fault);
  app.notFound(handle.notFound);
  app.get(`${BASE}/`, (c) => c.redirect(BASE, 308));
  for (const asset of ASSETS) app.get(asset.path, () => assetResponse(asset));
  for (const route of GUEST_ROUTES) {
    if (route.kind === "page") app.get(BASE + route.path, handle.guestPage(route));
    else app.post(BASE + route.path, handle.guestAct(route));
  }
  for (const route of ROUTES) {
    const path = route.path === "/" ? BASE : BASE + route.path;
    if (route.kind === "act") app.post(path, handle.act(route));
    else if (route.kind === "raw") app.get(path, handle.raw(route));
    else app.get(path, handle.page(route));
    if (route.kind === "page" && route.live) app.get(`${path}${LIVE_PATH}`, handle.live(route));
  }
  return app;
}
