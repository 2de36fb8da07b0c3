import { ROUTES } from "../../../src/dashboard/pages.ts";
import type { PageRoute } from "../../../src/dashboard/routes.ts";
import type { LoadOrder } from "../load.ts";
import type { Place, Samples } from "./place.ts";

export interface Case {
  readonly name: string;
  readonly requests: number;
  readonly isHold?: boolean;
  order(place: Place): Pick<LoadOrder, "method" | "target" | "body" | "cookie" | "key">;
}

const API_REQUESTS = 50;
const PAGE_REQUESTS = 7;
const TO = "0x000000000000000000000000000000000000bEEF";

/** Every endpoint of the API in each of its ways, and what monitoring asks. */
export const API_CASES: readonly Case[] = [
  get("/v1/_ping"),
  get("/v1/currencies"),
  get("/v1/balances"),
  get("/v1/balances?currency=eth&network=eth"),
  get("/v1/deposit-requests/:id", ({ requestId }) => `/v1/deposit-requests/${requestId}`),
  get("/v1/withdrawals/:id", ({ withdrawalId }) => `/v1/withdrawals/${withdrawalId}`),
  get("/v1/transactions"),
  get("/v1/transactions?limit=200"),
  get("/v1/transactions?direction=sweep"),
  get("/v1/transactions?status=failed"),
  get("/v1/transactions?network=ETH&currency=ETH"),
  get("/v1/transactions?cursor=1500"),
  get("/v1/transactions?direction=withdrawal&status=failed"),
  get("/v1/transactions?currency=USDT"),
  get("/v1/hot-wallet-address?network=ETH"),
  post("/v1/deposit-addresses", "a new customer's address", { user_identifier: "new #" }),
  post("/v1/deposit-addresses", "a known customer's address", {
    user_identifier: "known",
    note: "#",
  }),
  post("/v1/deposit-addresses", "an address of the pool", { idempotency_key: "#" }),
  post("/v1/deposit-addresses", "a retry", { idempotency_key: "once" }),
  {
    ...post("/v1/withdrawals", "to the hold", {
      to_address: TO,
      amount: "0.001",
      client_reference: "#",
    }),
    isHold: true,
  },
  {
    ...post("/v1/withdrawals", "a retry", {
      to_address: TO,
      amount: "0.001",
      client_reference: "order-7",
    }),
    isHold: true,
  },
  unsigned("/healthz"),
  unsigned("/readyz"),
  unsigned("/metrics"),
];

/** What the lists can be asked beside being opened. What is rare stands at their beginning. */
const FILTERS: readonly ((samples: Samples) => string)[] = [
  () => "/deposits?status=detected",
  () => "/deposits?status=failed",
  () => "/deposits?below=on",
  () => "/deposits?network=ETH&currency=ETH&status=failed",
  () => "/deposits?q=nobody",
  () => "/deposits?q=customer-42",
  ({ address }) => `/deposits?q=${address}`,
  ({ txHash }) => `/deposits?q=${txHash}`,
  () => "/transactions?direction=sweep",
  () => "/transactions?status=failed",
  () => "/transactions?direction=withdrawal&status=failed&network=ETH",
  () => "/transactions?currency=ETH",
  () => "/transactions?cursor=1500",
  () => "/withdrawals?status=failed",
  () => "/withdrawals?status=pending&network=ETH",
  () => "/webhooks/deliveries?state=dead",
  ({ endpointId }) => `/webhooks/deliveries?webhook=${endpointId}&state=dead`,
];
const OF_OPERATORS: readonly string[] = [
  "/transactions?account=1",
  "/transactions?account=1&status=failed",
  "/audit?actor=key:key-3",
  "/audit?subject=withdrawal:5",
  "/accounts?cursor=1500",
];

/** Every page of the table that serves them, for each role that has it. */
export function pageCases(): Case[] {
  return (["operator", "merchant"] as const).flatMap((role) => {
    const pages = ROUTES.filter((route): route is PageRoute => route.kind === "page")
      .filter(({ roles }) => !roles || roles.includes(role))
      .map(({ path }) => (samples: Samples) => filled(path, samples));
    const own = role === "operator" ? OF_OPERATORS.map((path) => () => path) : [];
    return [...pages, ...FILTERS, ...own].map((pathOf): Case => ({
      name: `${role} ${pathOf(NAMES)}`,
      requests: PAGE_REQUESTS,
      order: ({ tokens, samples }) => {
        const path = pathOf(samples);
        const target = `/dashboard${path === "/" ? "" : path}`;
        return { method: "GET", target, cookie: `cpg=${tokens[role]}` };
      },
    }));
  });
}

const NAMES: Samples = {
  endpointId: 1,
  requestId: 1,
  address: "0x(an address)",
  withdrawalId: 1,
  depositId: 1,
  sweepId: 1,
  txHash: "0x(a transaction)",
  eventId: 1,
};

function filled(path: string, samples: Samples): string {
  const [, first] = path.split("/");
  const ids: Readonly<Record<string, string | number>> = {
    "withdrawals.id": samples.withdrawalId,
    "deposits.id": samples.depositId,
    "sweeps.id": samples.sweepId,
    "accounts.id": 1,
    "networks.code": "ETH",
    "networks.symbol": "ETH",
    "webhooks.id": samples.endpointId,
    "webhooks.event": samples.eventId,
  };
  return path.replace(/:(\w+)(\{[^}]*\})?/g, (_, name) => {
    const id = ids[`${first}.${name}`];
    if (id === undefined) throw new Error(`An example is missing for ${name} of ${path}`);
    return String(id);
  });
}

function get(name: string, target: (samples: Samples) => string = () => name): Case {
  return {
    name: `GET ${name}`,
    requests: API_REQUESTS,
    order: ({ samples, installation: { key } }) => ({
      method: "GET",
      target: target(samples),
      key,
    }),
  };
}

function unsigned(target: string): Case {
  return {
    name: `GET ${target}`,
    requests: API_REQUESTS,
    order: () => ({ method: "GET", target }),
  };
}

function post(target: string, what: string, body: object): Case {
  return {
    name: `POST ${target}: ${what}`,
    requests: API_REQUESTS,
    order: ({ installation: { key } }) => ({
      ...{ method: "POST", target, key },
      body: JSON.stringify({ network: "ETH", currency: "ETH", ...body }),
    }),
  };
}
