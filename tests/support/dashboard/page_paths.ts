import { ROUTES } from "../../../src/dashboard/pages.ts";
import { mayUse } from "../../../src/dashboard/routes.ts";
import type { PageRoute } from "../../../src/dashboard/routes.ts";
import { isGatewayRole, type Role } from "../../../src/access/rules/roles.ts";

/** Ids and names that occur in paths of pages. */
export interface PageSamples {
  readonly endpointId: number;
  readonly eventId: number;
  readonly withdrawalId: number;
  readonly depositId: number;
  readonly addressId: number;
  readonly sweepId: number;
  readonly invoiceId: number;
  readonly address: string;
  readonly txHash: string;
  readonly user: string;
  /** Of a row in the middle of a long list. */
  readonly cursor: number;
  /** An actor with many rows in the audit log. */
  readonly actor: string;
}

type PathOf = (samples: PageSamples) => string;

/** All pages from the table of routes, and queries of the lists. */
export function pagePaths(role: Role): readonly PathOf[] {
  const pages = ROUTES.filter((route): route is PageRoute => route.kind === "page")
    .filter((route) => mayUse(role, route))
    .map(({ path }): PathOf => (samples) => filled(path, samples));
  return [...pages, ...LIST_QUERIES, ...isGatewayRole(role) ? OPERATORS_LIST_QUERIES : []];
}

const ABSENT = `0x${"0".repeat(64)}`;

/** Whole, how they begin and how they end. */
const SEARCHES: readonly PathOf[] = [
  ({ txHash }) => `/search?q=${txHash.slice(0, 10)}`,
  ({ txHash }) => `/search?q=${txHash.slice(-8)}`,
  ({ txHash }) => `/search?q=${txHash.slice(0, 8)}...${txHash.slice(-6)}`,
  ({ address }) => `/search?q=${address.slice(0, 12).toUpperCase().replace("X", "x")}`,
  ({ address }) => `/search?q=${address.slice(-6)}`,
  () => "/search?q=customer-",
  () => "/search?q=user%20",
  () => "/search?q=ORDER-",
  () => "/search?q=order-0",
  ({ sweepId }) => `/search?q=${sweepId}`,
  () => "/search?q=m",
  () => `/search?q=${ABSENT}`,
  () => `/search?q=0x${"1".repeat(40)}`,
  ({ user }) => `/customers?account=1&user=${encodeURIComponent(user)}`,
  ({ cursor }) => `/customers?cursor=${cursor}`,
  ({ cursor }) => `/customers/invoices?cursor=${cursor}`,
];

/** Oldest first: from the start, filtered, and from the middle on. */
const TURNED: readonly PathOf[] = [
  ...["/deposits", "/transactions", "/withdrawals", "/invoices", "/sweeps"].flatMap((list) => [
    () => `${list}?order=oldest`,
    ({ cursor }: PageSamples) => `${list}?order=oldest&cursor=${cursor}`,
  ]),
  () => "/deposits?order=oldest&network=ETH&currency=ETH&status=failed",
  () => "/deposits?order=oldest&from=2026-01-01&until=2026-01-01",
  () => "/withdrawals?order=oldest&status=pending&network=ETH",
  () => "/withdrawals?order=oldest&from=2026-01-01&until=2026-01-01",
  () => "/invoices?order=oldest&customer=nobody&status=open",
  () => "/invoices?order=oldest&reference=ORDER",
  () => "/balances/ETH/ETH?order=oldest&period=all&account=1",
  () => "/customers?order=oldest",
  () => "/webhooks/deliveries?order=oldest",
  ({ endpointId }) => `/webhooks/deliveries?order=oldest&webhook=${endpointId}&state=dead`,
];

/** For both roles. */
const LIST_QUERIES: readonly PathOf[] = [
  ...SEARCHES,
  ...TURNED,
  () => "/deposits?status=detected",
  () => "/deposits?status=failed",
  () => "/deposits?below=on",
  () => "/deposits?network=ETH&currency=ETH&status=failed",
  () => "/deposits?q=nobody",
  () => `/deposits?q=${ABSENT}`,
  ({ txHash }) => `/deposits?q=${txHash}`,
  ({ address }) => `/deposits?q=${address}`,
  ({ user }) => `/deposits?q=${encodeURIComponent(user)}`,
  () => "/deposits?from=2026-01-01&until=2026-01-01",
  () => "/deposits?from=2026-01-01T00:00:05Z&until=2026-01-01T00:00:10Z",
  () => "/deposits?period=today",
  () => "/transactions?from=2026-01-01&until=2026-01-01&status=confirmed",
  () => "/transactions?direction=sweep",
  () => "/transactions?status=failed",
  () => "/transactions?network=ETH",
  () => "/transactions?direction=withdrawal&status=failed&network=ETH",
  () => "/transactions?currency=ETH",
  ({ cursor }) => `/transactions?cursor=${cursor}`,
  () => "/withdrawals?status=failed",
  () => "/withdrawals?status=pending",
  () => "/withdrawals?status=pending&network=ETH",
  () => "/withdrawals?status=confirmed",
  () => "/withdrawals?network=ETH&currency=ETH&status=failed",
  () => "/withdrawals?from=2026-01-01&until=2026-01-01",
  () => "/withdrawals?from=2026-01-01T00:00:05Z&until=2026-01-01T00:00:10Z",
  () => "/withdrawals?period=last-month&status=confirmed",
  ({ cursor }) => `/withdrawals?cursor=${cursor}`,
  () => "/balances/ETH/ETH?period=all&account=1",
  () => "/balances/ETH/ETH?from=2026-01-01&until=2026-01-01&account=1",
  ({ cursor }) => `/balances/ETH/ETH?period=all&account=1&cursor=${cursor}`,
  () =>
    "/balances/ETH/ETH/statement?from=2026-01-01T00:05:00Z&until=2026-01-01T00:10:00Z&account=1",
  () => "/invoices?status=open",
  () => "/invoices?status=paid",
  () => "/invoices?reference=order%2012000",
  () => "/invoices?reference=ORDER",
  () => "/invoices?customer=nobody&status=open",
  () => "/invoices?from=2026-01-01&until=2026-01-01",
  ({ cursor }) => `/invoices?cursor=${cursor}`,
  () => "/search?q=order%20",
  () => "/sweeps?state=parked",
  () => "/sweeps?state=done",
  () => "/sweeps?network=ETH&currency=ETH&state=parked",
  ({ address }) => `/sweeps?q=${address}`,
  ({ cursor }) => `/sweeps?cursor=${cursor}`,
  () => "/webhooks/deliveries?state=pending",
  () => "/requests?path=/v1/withdrawals&code=invalid_signature",
  () => "/requests?last=1h",
  () => "/webhooks/deliveries?state=delivered",
  () => "/webhooks/deliveries?state=dead",
  ({ endpointId }) => `/webhooks/deliveries?webhook=${endpointId}`,
  ({ endpointId }) => `/webhooks/deliveries?webhook=${endpointId}&state=delivered`,
  ({ endpointId }) => `/webhooks/deliveries?webhook=${endpointId}&state=dead`,
  ({ endpointId }) => `/webhooks/deliveries?webhook=${endpointId}&state=pending`,
  ({ cursor, endpointId }) => `/webhooks/deliveries?cursor=${cursor}-${endpointId}`,
];

/** Queries that only operators may make. */
const OPERATORS_LIST_QUERIES: readonly PathOf[] = [
  () => "/audit?last=all&order=oldest",
  ({ actor }) => `/audit?last=all&order=oldest&actor=${encodeURIComponent(actor)}`,
  () => "/alerts?all=on&order=oldest",
  () => "/deposits?account=1&status=failed",
  () => "/transactions?account=1",
  () => "/transactions?account=1&status=failed",
  () => "/transactions?account=1&direction=withdrawal",
  () => "/withdrawals?account=1&status=failed",
  () => "/sweeps?account=1&state=parked",
  () => "/invoices?account=1&status=open",
  () => "/webhooks?account=1",
  () => "/webhooks/deliveries?account=1",
  () => "/requests?account=1",
  () => "/requests?account=1&path=/v1&code=not_found&last=24h",
  () => "/webhooks/deliveries?account=1&state=dead",
  () => "/webhooks/deliveries?account=1&state=delivered",
  ({ actor }) => `/audit?actor=${actor}`,
  () => "/audit?actor=nobody",
  ({ withdrawalId }) => `/audit?subject=withdrawal:${withdrawalId}`,
  () => "/audit?subject=user:unknown",
  ({ actor }) => `/audit?actor=${actor}&subject=user:unknown`,
  ({ actor, withdrawalId }) => `/audit?actor=${actor}&subject=withdrawal:${withdrawalId}`,
  ({ cursor }) => `/audit?cursor=${cursor}`,
  () => "/audit?account=1",
  () => "/audit?account=1&action=payouts",
  () => "/audit?action=keys",
  () => "/audit?action=payouts",
  () => "/audit?action=deposits",
  () => "/audit?action=deposit.reversed&actor=cli",
  () => "/audit?last=24h",
  () => "/audit?from=2026-01-01T00:05:00Z&until=2026-01-01T00:10:00Z",
  ({ cursor }) => `/accounts?cursor=${cursor}`,
];

export function filled(path: string, samples: PageSamples): string {
  const [, first] = path.split("/");
  const ids: Readonly<Record<string, string | number>> = {
    "withdrawals.id": samples.withdrawalId,
    "deposits.id": samples.depositId,
    "addresses.id": samples.addressId,
    "sweeps.id": samples.sweepId,
    "invoices.id": samples.invoiceId,
    "checkout.id": 1,
    "wallets.id": 1,
    "counter.id": samples.invoiceId,
    "accounts.id": 1,
    "networks.code": "ETH",
    "networks.symbol": "ETH",
    "batches.id": 1,
    "rules.id": 1,
    "balances.network": "ETH",
    "balances.symbol": "ETH",
    "webhooks.id": samples.endpointId,
    "webhooks.event": samples.eventId,
  };
  return path.replace(/:(\w+)(\{[^}]*\})?/g, (_, name) => {
    const id = ids[`${first}.${name}`];
    if (id === undefined) throw new Error(`An example is missing for ${name} of ${path}`);
    return String(id);
  });
}
