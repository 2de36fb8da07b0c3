import { ROUTES } from "../../src/dashboard/pages.ts";
import { mayUse } from "../../src/dashboard/routes.ts";
import type { PageRoute, Route } from "../../src/dashboard/routes.ts";
import { LIVE_PATH } from "../../src/dashboard/live.ts";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import { filled } from "../support/dashboard/page_paths.ts";
import type { Asked } from "./drive.ts";
import type { Worst } from "./worst.ts";

interface Case {
  readonly name: string;
  readonly requests: readonly Asked[];
  /** Whatever isn't answered by then is given up. */
  readonly seconds?: number;
}

const AT_ONCE = 200;
const EACH_SESSION = 8;
/** Streams and files are given up after so long. */
const STREAMS_S = 2;
const LIMIT = 200;
const USDT = { network: "ETH", currency: "USDT" };
const NOBODY = "0x000000000000000000000000000000000000bEEF";

/** Everything that answers with more than one row, as often at once as one caller can ask. */
export function casesOf(worst: Worst): Case[] {
  return [...apiCases(worst), ...anonymousCases(worst), ...dashboardCases(worst)];
}

function apiCases({ key, dusty, refunded, large }: Worst): Case[] {
  const lists = ENDPOINTS.filter(({ list, method }) => list !== undefined && method === "GET");
  const paged = (path: string) => `${path}?limit=${LIMIT}`;
  return [
    ...lists.map(({ path, list }) => ({
      name: `GET ${path}`,
      requests: crowd({ target: list === "whole" ? path : paged(path), key }),
    })),
    ...lists.filter(({ hasCsv }) => hasCsv).map(({ path }) => ({
      name: `GET ${path} as CSV`,
      requests: crowd({ target: path, accept: "text/csv", key }),
      seconds: STREAMS_S,
    })),
    ...Object.entries({ dusty, refunded, large }).map(([name, { id }]) => ({
      name: `GET /v1/invoices/{id}, ${name}`,
      requests: crowd({ target: `/v1/invoices/${id}`, key }),
    })),
    ...Object.entries({ dusty, refunded }).flatMap(([name, { id }]) => [
      {
        name: `POST /v1/invoices/{id}/refunds, ${name}`,
        requests: posts(`/v1/invoices/${id}/refunds`, key, (i) => ({
          ...{ ...USDT, amount: "5000", to_address: NOBODY, client_reference: `load-${i}` },
        })),
      },
      {
        name: `POST /v1/invoices/{id}/refund-links, ${name}`,
        requests: posts(`/v1/invoices/${id}/refund-links`, key, (i) => ({
          ...{ ...USDT, amount: `0.${1_000 + i}` },
        })),
      },
    ]),
  ];
}

function anonymousCases({ dusty, refunded, large, slug, refund }: Worst): Case[] {
  const pay = (name: string, target: string): Case => ({ name, requests: crowd({ target }) });
  return [
    ...Object.entries({ dusty, refunded, large }).flatMap(([name, { token }]) => [
      pay(`GET /pay/{token}, ${name}`, `/pay/${token}`),
      pay(`GET /pay/{token}/state, ${name}`, `/pay/${token}/state`),
    ]),
    pay("GET /pay/{token}/logo", `/pay/${large.token}/logo`),
    pay("GET /refund/{token}", refund),
    pay("GET /dashboard/sign-in", "/dashboard/sign-in"),
    pay("GET /docs", "/docs"),
    pay("GET /openapi.json", "/openapi.json"),
    pay("GET /readyz", "/readyz"),
    pay("GET /metrics", "/metrics"),
    pay("GET /buy/{slug}", `/buy/${slug}`),
    pay("GET /buy/{slug}/print", `/buy/${slug}/print`),
  ];
}

function dashboardCases(worst: Worst): Case[] {
  const { sessions, samples } = worst;
  const roles = ["operator", "merchant"] as const;
  return roles.flatMap((role) => {
    const all = (target: string): Asked[] =>
      sessions[role].flatMap((token) =>
        Array<Asked>(EACH_SESSION).fill({
          target: `/dashboard${target === "/" ? "" : target}`,
          cookie: `cpg=${token}`,
        })
      );
    const isShown = (route: Route) =>
      mayUse(role, route) && (route.kind === "raw" || route.kind === "page" && isOf(role, route));
    return ROUTES.filter((route) => isShown(route)).flatMap(
      (route): Case[] => {
        const { id } = worst.refunded;
        const name = `GET /dashboard${route.path}, ${role}`;
        const query = route.path.includes("/balances/:") ? "?account=1&period=all" : "";
        const path = filled(route.path, { ...samples, invoiceId: id }) + query;
        const streams = "live" in route && route.live !== undefined
          ? [{
            name: `${name}, live`,
            requests: all((path === "/" ? "" : path) + LIVE_PATH),
            seconds: STREAMS_S,
          }]
          : [];
        const file = /csv$/.test(path) ? { seconds: STREAMS_S } : {};
        return [{ name, requests: all(path), ...file }, ...streams];
      },
    );
  });
}

/** What both roles see alike is asked for once, and what keeps changing by both. */
function isOf(role: "operator" | "merchant", route: PageRoute): boolean {
  return role === "operator" || route.live !== undefined || !mayUse("operator", route);
}

/** Each differs from the others, because a copy of a signed request is refused at once. */
function posts(target: string, key: Worst["key"], bodyOf: (i: number) => object): Asked[] {
  return Array.from(
    { length: AT_ONCE },
    (_, i) => ({ target, key, body: JSON.stringify(bodyOf(i)) }),
  );
}

function crowd(asked: Asked): Asked[] {
  return Array<Asked>(AT_ONCE).fill(asked);
}
