import { Hono } from "hono";
import { assetResponse, ASSETS } from "./assets/assets.ts";
import { createCookies } from "./cookies.ts";
import { createHandlers, type DashboardEnv, type DashboardOptions } from "./handle.tsx";
import { LIVE_PATH } from "./live.ts";
import { GUEST_ROUTES, ROUTES } from "./pages.ts";
import { BASE } from "./visit.ts";

/** The pages where accounts are run. It answers whatever begins with /dashboard. */
export function createDashboard(options: DashboardOptions): Hono<DashboardEnv> {
  const app = new Hono<DashboardEnv>({ strict: false });
  const cookies = createCookies({ isSecure: options.publicUrl.startsWith("https:") });
  const handle = createHandlers({ ...options, cookies });
  app.use(handle.begin);
  app.onError(handle.fault);
  app.notFound(handle.notFound);
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
