import type { LoadOrder } from "../load.ts";
import type { Place, Samples } from "./place.ts";

export interface Case {
  readonly name: string;
  readonly requests: number;
  readonly isHold?: boolean;
  order(place: Place): Pick<LoadOrder, "method" | "target" | "body" | "cookie" | "key">;
}

const API_REQUESTS = 40;
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
  get("/v1/withdrawals"),
  get("/v1/withdrawals?status=failed"),
  get("/v1/withdrawals?network=ETH&currency=ETH&from=2026-01-01&until=2026-01-02"),
  get("/v1/withdrawals?client_reference=order-7"),
  get("/v1/withdrawals?to_address=0x000000000000000000000000000000000000bEEF"),
  get("/v1/deposit-requests"),
  get("/v1/deposit-requests?status=settled"),
  get("/v1/deposit-requests?user_identifier=customer-42"),
  get(
    "/v1/deposit-requests?address=:address",
    ({ address }) => `/v1/deposit-requests?address=${address}`,
  ),
  get("/v1/deposit-requests?network=ETH&currency=ETH&from=2026-01-01T00:00:30Z"),
  get("/v1/deposits"),
  get("/v1/deposits?address=:address", ({ address }) => `/v1/deposits?address=${address}`),
  get("/v1/deposits?status=failed&currency=ETH"),
  get("/v1/deposits?tx_hash=:hash", ({ txHash }) => `/v1/deposits?tx_hash=${txHash}`),
  get("/v1/deposits?user_identifier=customer-42&from=2026-01-01"),
  get("/v1/ledger"),
  get("/v1/ledger?kind=reversal"),
  get("/v1/ledger?network=ETH&currency=ETH"),
  get("/v1/ledger?from=2026-01-01T00:05:00Z&until=2026-01-01T00:10:00Z"),
  get("/v1/events"),
  get("/v1/events?limit=200"),
  get("/v1/events/evt_555"),
  get("/v1/webhooks"),
  get("/v1/webhooks/:id", ({ endpointId }) => `/v1/webhooks/${endpointId}`),
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
  ruled("/v1/withdrawals", "to the hold, with ten rules", { client_reference: "#" }),
  ruled("/v1/withdrawals/check", "with ten rules"),
  unsigned("/healthz"),
  unsigned("/readyz"),
  unsigned("/metrics"),
];

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

/** 10^6 payments are in the window of one of the rules. */
function ruled(target: string, what: string, more: object = {}): Case {
  const { order, ...one } = post(target, what, { to_address: TO, amount: "0.001", ...more });
  return {
    ...one,
    isHold: target === "/v1/withdrawals",
    order: (place) => ({ ...order(place), key: place.ruledKey }),
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
