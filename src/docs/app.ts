import { Hono } from "hono";
import { htmlOf } from "../base/html.ts";
import { isCanonicalPath, rawPath } from "../base/net/request_target.ts";
import { once } from "../base/once.ts";
import { assetResponse } from "../dashboard/assets/assets.ts";
import { ASSETS } from "./assets/assets.ts";
import PACKED from "./assets/sdk_package.txt" with { type: "text" };
import { allPages } from "./pages.ts";
import { ABSENT } from "./pages/absent.tsx";
import { Layout } from "./parts/layout.tsx";
import { BASE, type DocPage, type Site } from "./site.ts";
import { SDK_PATH } from "../domain/sdk_file.ts";
import { redirectTo } from "../http/reply.ts";
import type { HttpEnv, RequestState } from "../http/request_state.ts";
import { staticAnswer } from "../http/static_answer.ts";

/** What npm installs: whoever builds a shop needs nothing else of the gateway. */
const sdkPackage = once(() =>
  staticAnswer(Uint8Array.fromBase64(PACKED), { headers: { "content-type": "application/gzip" } })
);

/** Nothing from other sites, nothing inline, and no page sends anything anywhere. */
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "x-frame-options": "DENY",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=()",
};

type Answer = ReturnType<typeof staticAnswer>;

/**
 * Everything below /docs. Each page is made when it is first asked for, and their list with the
 * first of them: describing every endpoint takes longer than the rest of the start.
 */
export function createDocs({ publicUrl }: { publicUrl: string }): Hono<HttpEnv> {
  const site = once(() => ({ pages: allPages(), url: publicUrl }));
  const pages = once(() => new Map([...site().pages, ABSENT].map((page) => [page.path, page])));
  const assets = new Map(ASSETS.map((asset) => [asset.path, asset]));
  const made = new Map<string, Promise<Answer>>();

  async function answer(request: Request, state: RequestState): Promise<Response> {
    state.route = BASE;
    const path = rawPath(state.target);
    const asset = assets.get(path);
    if (asset) return assetResponse(asset);
    if (path === SDK_PATH) return sdkPackage()(request);
    const page = (isCanonicalPath(path) ? pages().get(path) : undefined) ?? ABSENT;
    let making = made.get(page.path);
    if (!making) made.set(page.path, making = make(page, site()));
    return (await making)(request);
  }

  const app = new Hono<HttpEnv>();
  app.get(`${BASE}/`, (c) => redirectTo(c.env.state, BASE, 308));
  for (const path of [BASE, `${BASE}/*`]) {
    app.get(path, async ({ req, env: { state } }) => {
      const response = await answer(req.raw, state);
      response.headers.set("x-request-id", state.requestId);
      return response;
    });
  }
  return app;
}

async function make(page: DocPage, site: Site): Promise<Answer> {
  const text = `<!doctype html>${await htmlOf(
    Layout({ page, site, content: await page.show(site) }),
  )}`;
  return staticAnswer(text, { headers: HEADERS, status: page === ABSENT ? 404 : 200 });
}
