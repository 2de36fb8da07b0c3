import { keysOf } from "../base/lists.ts";
import { type Ability, isAble, type Role } from "../domain/access/roles.ts";

type Method = "GET" | "POST";

/** Which ability each route needs. Nobody reaches a route that isn't here. */
const NEEDED: Readonly<Record<Ability, readonly `${Method} ${string}`[]>> = {
  own_login: [
    "GET /profile",
    "POST /profile/password",
    "POST /profile/sessions/:id/end",
    "POST /profile/second-factor/off",
    "POST /profile/recovery-codes",
    "GET /profile/second-factor",
    "POST /profile/second-factor",
    "GET /profile/passkeys/new",
    "POST /profile/passkeys/new",
    "POST /profile/passkeys/remove",
    "GET /prove",
    "POST /prove",
    "POST /sign-out",
  ],
  see: [
    "GET /",
    "GET /search",
    "GET /inbox",
    // In the demo only.
    "GET /parts",
    "GET /customers",
    "GET /addresses/:id{[0-9]+}",
    // Only reads.
    "POST /addresses/:id{[0-9]+}/look",
    "GET /deposits",
    "GET /deposits/:id{[0-9]+}",
    "GET /invoices",
    "GET /invoices/export.csv",
    "GET /invoices/:id{[0-9]+}",
    "GET /payment-links",
    "GET /sweeps",
    "GET /sweeps/export.csv",
    "GET /sweeps/:id{[0-9]+}",
    "GET /withdrawals",
    "GET /withdrawals/export.csv",
    "GET /withdrawals/:id{[0-9]+}",
    "GET /rules",
    "GET /rules/:id{[0-9]+}",
    "GET /payees",
    "GET /batches",
    "GET /batches/:id{[0-9]+}",
    "GET /balances",
    "GET /balances/:network/:symbol",
    "GET /balances/:network/:symbol/statement",
    "GET /balances/:network/:symbol/ledger.csv",
    "GET /transactions",
    "GET /transactions/export.csv",
    "GET /currencies",
    "GET /wallets",
    "GET /wallets/:id{[0-9]+}/qr.svg",
    "GET /keys",
    "GET /requests",
    "GET /webhooks",
    "GET /webhooks/:id{[0-9]+}",
    "GET /webhooks/deliveries",
    "GET /webhooks/:id{[0-9]+}/deliveries/:event{[0-9]+}",
  ],
  see_gateway: [
    "GET /accounts",
    "GET /accounts/:id{[0-9]+}",
    "GET /networks",
    "GET /networks/:code",
    "GET /rates",
    "GET /alerts",
    "GET /recipients",
    "GET /stop",
    "GET /reconcile",
    "GET /audit",
    "GET /audit/verify",
    // Only reads.
    "POST /audit/verify",
    "GET /settings",
  ],
  see_users: ["GET /users", "GET /users/roles"],
  operate: [
    "GET /deposits/:id{[0-9]+}/reverse",
    "POST /deposits/:id{[0-9]+}/reverse",
    "GET /deposits/:id{[0-9]+}/vouch",
    "POST /deposits/:id{[0-9]+}/vouch",
    "GET /deposits/credit",
    "POST /deposits/credit",
    "POST /sweeps/:id{[0-9]+}/retry",
    "GET /withdrawals/:id{[0-9]+}/settle",
    "POST /withdrawals/:id{[0-9]+}/settle",
    "POST /wallets/:id{[0-9]+}/resume",
    ...["GET /accounts/new", "POST /accounts"] as const,
    "POST /accounts/:id{[0-9]+}/suspend",
    "POST /accounts/:id{[0-9]+}/unsuspend",
    "POST /accounts/:id{[0-9]+}/unfreeze",
    "POST /accounts/:id{[0-9]+}/settings",
    "GET /accounts/:id{[0-9]+}/adjust",
    "POST /accounts/:id{[0-9]+}/adjust",
    ...["GET /networks/add", "POST /networks"] as const,
    "GET /networks/new",
    "POST /networks/new",
    "POST /networks/new/confirm",
    "POST /networks/:code",
    "POST /networks/:code/gas-wallet",
    "POST /networks/:code/resume",
    "GET /networks/:code/currencies/:symbol",
    "POST /networks/:code/currencies/:symbol",
    "GET /networks/:code/add-token",
    "POST /networks/:code/add-token",
    "POST /networks/:code/add-token/confirm",
    "GET /rates/new",
    "POST /rates/new",
    "POST /rates/:id/remove",
    "POST /alerts/:id/resolve",
    "POST /alerts/sweeps/:id/retry",
    "POST /recipients/allow",
    "POST /settings",
    "POST /resume",
    "POST /reconcile",
  ],
  stop: ["POST /stop"],
  approve: [
    "POST /inbox/payouts/:id{[0-9]+}/approve",
    "POST /inbox/payouts/:id{[0-9]+}/reject",
    "POST /inbox/proposals/:id{[0-9]+}/approve",
    "POST /inbox/proposals/:id{[0-9]+}/reject",
    "POST /deposits/:id{[0-9]+}/notes",
    "POST /withdrawals/:id{[0-9]+}/notes",
    "POST /invoices/:id{[0-9]+}/notes",
    "POST /withdrawals/:id{[0-9]+}/approve",
    "POST /withdrawals/:id{[0-9]+}/reject",
    "POST /customers/notes",
  ],
  pay: [
    "GET /withdrawals/new",
    "POST /withdrawals/new",
    ...["GET /payees/new", "POST /payees/new", "POST /payees/:id{[0-9]+}/remove"] as const,
    "GET /invoices/:id{[0-9]+}/refund",
    "POST /invoices/:id{[0-9]+}/refund",
    "POST /invoices/:id{[0-9]+}/refund-link",
    "GET /batches/new",
    "POST /batches/new",
    "POST /batches/:id{[0-9]+}/send",
    "POST /withdrawals/:id{[0-9]+}/cancel",
    "POST /withdrawals/:id{[0-9]+}/bump",
    "POST /withdrawals/:id{[0-9]+}/resend",
    "POST /withdrawals/:id{[0-9]+}/revoke",
  ],
  manage_invoices: [
    "GET /invoices/new",
    "GET /counter",
    "POST /counter",
    "GET /counter/:id{[0-9]+}",
    "POST /invoices/new",
    "POST /invoices/:id{[0-9]+}/cancel",
    "POST /invoices/:id{[0-9]+}/extend",
    "POST /invoices/:id{[0-9]+}/accept",
    "GET /payment-links/new",
    "POST /payment-links/new",
    "POST /payment-links/:id{[0-9]+}/deactivate",
  ],
  set_up_account: [
    "GET /checkout",
    "POST /checkout",
    "GET /checkout/:id{[0-9]+}/logo",
    "POST /currencies/switch",
    "GET /wallets/receiving",
    "POST /wallets/receiving",
    "POST /wallets/receiving/set",
    "POST /wallets/receiving/cancel",
  ],
  manage_rules: [
    "GET /rules/new",
    "POST /rules/new",
    "POST /rules/new/confirm",
    "POST /rules/:id{[0-9]+}",
    "POST /rules/:id{[0-9]+}/switch",
    "POST /rules/:id{[0-9]+}/remove",
  ],
  manage_users: [
    ...["GET /users/new", "POST /users"] as const,
    "POST /users/:id{[0-9]+}/reset",
    "POST /users/:id{[0-9]+}/disable",
    "POST /users/:id{[0-9]+}/enable",
    "POST /users/:id{[0-9]+}/role",
  ],
  manage_keys: ["GET /keys/new", "POST /keys/new", "POST /keys/:id/revoke"],
  // The forms check it, by the key's permissions.
  manage_withdraw_keys: [],
  manage_webhooks: [
    "GET /webhooks/new",
    "POST /webhooks/new",
    "POST /webhooks/:id{[0-9]+}/test",
    "POST /webhooks/:id{[0-9]+}/sample",
    "POST /webhooks/:id{[0-9]+}/enable",
    "POST /webhooks/:id{[0-9]+}/rotate",
    "GET /webhooks/:id{[0-9]+}/remove",
    "POST /webhooks/:id{[0-9]+}/remove",
    "POST /webhooks/deliveries/dead",
    "POST /webhooks/deliveries/between",
    "POST /webhooks/:id{[0-9]+}/deliveries/:event{[0-9]+}/again",
  ],
};

/**
 * What goes on when an account has stored its share of the day: what pays, ends, decides or takes
 * back something. Payouts have a share of their own.
 */
const EVEN_WHEN_FULL: ReadonlySet<string> = new Set([
  "/addresses/:id{[0-9]+}/look",
  "/inbox/payouts/:id{[0-9]+}/approve",
  "/inbox/payouts/:id{[0-9]+}/reject",
  "/inbox/proposals/:id{[0-9]+}/approve",
  "/inbox/proposals/:id{[0-9]+}/reject",
  "/withdrawals/new",
  "/withdrawals/:id{[0-9]+}/approve",
  "/withdrawals/:id{[0-9]+}/reject",
  "/withdrawals/:id{[0-9]+}/cancel",
  "/withdrawals/:id{[0-9]+}/bump",
  "/withdrawals/:id{[0-9]+}/resend",
  "/withdrawals/:id{[0-9]+}/revoke",
  "/batches/:id{[0-9]+}/send",
  "/payees/:id{[0-9]+}/remove",
  "/invoices/:id{[0-9]+}/refund",
  "/invoices/:id{[0-9]+}/cancel",
  "/invoices/:id{[0-9]+}/accept",
  "/payment-links/:id{[0-9]+}/deactivate",
  "/wallets/receiving/cancel",
  "/users/:id{[0-9]+}/disable",
  "/keys/:id/revoke",
  "/webhooks/:id{[0-9]+}/remove",
]);

export function isEvenWhenFull(path: string): boolean {
  return EVEN_WHEN_FULL.has(path);
}

/** What is left to users who must set up a second factor first. */
export const SET_UP_FACTOR = "/profile/second-factor";

const BEFORE_FACTOR: readonly string[] = [
  "GET /profile/second-factor",
  "POST /profile/second-factor",
  "GET /profile/passkeys/new",
  "POST /profile/passkeys/new",
  "GET /prove",
  "POST /prove",
  "POST /sign-out",
];

const LISTED: readonly (readonly [route: string, ability: Ability])[] = keysOf(NEEDED)
  .flatMap((ability) => NEEDED[ability].map((route) => [route, ability] as const));

const ABILITY_OF: Readonly<Record<string, Ability>> = Object.fromEntries(LISTED);

export function mayUse(role: Role, { kind, path }: { kind: string; path: string }): boolean {
  return isAbleTo(role, ABILITY_OF[`${kind === "act" ? "POST" : "GET"} ${path}`]);
}

export function isBeforeFactor(method: Method, path: string): boolean {
  return BEFORE_FACTOR.includes(`${method} ${path}`);
}

/** The same for a path as in a link, so that no link or form leads to a refusal. */
export function mayFollow(role: Role, method: Method, path: string): boolean {
  const asked = `${method} ${path.split(/[?#]/)[0] || "/"}`;
  return isAbleTo(role, ABILITY_OF[asked] ?? PATTERNS.find(([is]) => is.test(asked))?.[1]);
}

function isAbleTo(role: Role, ability: Ability | undefined): boolean {
  return ability !== undefined && isAble(role, ability);
}

const PATTERNS = LISTED.filter(([route]) => route.includes(":"))
  .map(([route, ability]) => [patternOf(route), ability] as const);

function patternOf(route: string): RegExp {
  const source = route.replaceAll(".", "\\.")
    .replace(/:\w+(?:\{([^}]*)\})?/g, (_, digits) => digits ?? "[^/]+");
  return new RegExp(`^${source}$`);
}
