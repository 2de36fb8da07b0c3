import { isGatewayRole, type Role } from "../domain/access/roles.ts";
import { CODE_ROUTES, SIGN_IN_ROUTES } from "./pages/access/sign_in.tsx";
import { SET_UP_ROUTES } from "./pages/access/set_up.tsx";
import { PROFILE_ROUTES } from "./pages/access/profile.tsx";
import { HOME_ROUTES } from "./pages/home/home.tsx";
import { ACCOUNT_ROUTES } from "./pages/accounts/account.tsx";
import { ACCOUNT_LIST_ROUTES } from "./pages/accounts/accounts.tsx";
import { KEY_ROUTES } from "./pages/access/keys.tsx";
import { RECEIVING_ROUTES } from "./pages/accounts/receiving_wallet.tsx";
import { ROLE_ROUTES } from "./pages/access/roles.tsx";
import { USER_ROUTES } from "./pages/access/users.tsx";
import { BALANCE_LIST_ROUTES } from "./pages/balances/balances.tsx";
import { LEDGER_CSV_ROUTES } from "./pages/balances/csv.ts";
import { LEDGER_ROUTES } from "./pages/balances/ledger.tsx";
import { STATEMENT_ROUTES } from "./pages/balances/statement.tsx";
import { BATCH_ROUTES } from "./pages/batches/batch.tsx";
import { BATCH_LIST_ROUTES } from "./pages/batches/batches.tsx";
import { NEW_BATCH_ROUTES } from "./pages/batches/new.tsx";
import { WALLET_ROUTES } from "./pages/wallets.tsx";
import { DELIVERY_LIST_ROUTES } from "./pages/webhooks/deliveries.tsx";
import { DELIVERY_ROUTES } from "./pages/webhooks/delivery.tsx";
import { REQUEST_ROUTES } from "./pages/requests/requests.tsx";
import { WEBHOOK_ROUTES } from "./pages/webhooks/webhook.tsx";
import { WEBHOOK_LIST_ROUTES } from "./pages/webhooks/webhooks.tsx";
import { INBOX_ROUTES } from "./pages/inbox/inbox.tsx";
import { ALERT_ROUTES } from "./pages/alerts.tsx";
import { AUDIT_ROUTES } from "./pages/audit/audit.tsx";
import { AUDIT_VERIFY_ROUTES } from "./pages/audit/verify.tsx";
import { NEW_RATE_SOURCE_ROUTES } from "./pages/rates/new.tsx";
import { RATE_ROUTES } from "./pages/rates/rates.tsx";
import { RECIPIENT_ROUTES } from "./pages/withdrawals/recipients.tsx";
import { RECONCILE_ROUTES } from "./pages/reconcile.tsx";
import { CREDIT_ROUTES } from "./pages/deposits/credit.tsx";
import { CURRENCY_ROUTES } from "./pages/networks/currencies.tsx";
import { ADD_TOKEN_ROUTES } from "./pages/networks/add_token.tsx";
import { CURRENCY_EDIT_ROUTES } from "./pages/networks/currency.tsx";
import { NETWORK_ROUTES } from "./pages/networks/network.tsx";
import { NEW_NETWORK_ROUTES } from "./pages/networks/new.tsx";
import { NETWORK_LIST_ROUTES } from "./pages/networks/networks.tsx";
import { SETTINGS_ROUTES } from "./pages/access/settings.tsx";
import { DEPOSIT_DETAIL_ROUTES } from "./pages/deposits/deposit.tsx";
import { NEW_RULE_ROUTES } from "./pages/rules/new.tsx";
import { RULE_ROUTES } from "./pages/rules/rule.tsx";
import { NEW_PAYEE_ROUTES } from "./pages/payees/new.tsx";
import { PAYEE_ROUTES } from "./pages/payees/payees.tsx";
import { RULE_LIST_ROUTES } from "./pages/rules/rules.tsx";
import { SEARCH_ROUTES } from "./pages/search/search.tsx";
import { ADDRESS_ROUTES } from "./pages/customers/address.tsx";
import { CUSTOMER_ROUTES } from "./pages/customers/customers.tsx";
import { REVERSE_ROUTES } from "./pages/deposits/reverse.tsx";
import { VOUCH_ROUTES } from "./pages/deposits/vouch.tsx";
import { STOP_ROUTES } from "./pages/stop.tsx";
import { SWEEP_ROUTES } from "./pages/sweeps/sweep.tsx";
import { SWEEP_LIST_ROUTES } from "./pages/sweeps/sweeps.tsx";
import { DEPOSIT_ROUTES } from "./pages/deposits/deposits.tsx";
import { CHECKOUT_ROUTES } from "./pages/checkout/checkout.tsx";
import { INVOICE_CHANGE_ROUTES } from "./pages/invoices/change.ts";
import { COUNTER_ROUTES } from "./pages/invoices/counter.tsx";
import { INVOICE_ROUTES } from "./pages/invoices/invoice.tsx";
import { INVOICE_LIST_ROUTES } from "./pages/invoices/invoices.tsx";
import { REFUND_ROUTES } from "./pages/invoices/refund.tsx";
import { NEW_INVOICE_ROUTES } from "./pages/invoices/new.tsx";
import { NEW_PAYMENT_LINK_ROUTES } from "./pages/invoices/new_payment_link.tsx";
import { PAYMENT_LINK_ROUTES } from "./pages/invoices/payment_links.tsx";
import { TRANSACTION_ROUTES } from "./pages/transactions.tsx";
import { WITHDRAWAL_ROUTES } from "./pages/withdrawals/withdrawal.tsx";
import { DECIDE_ROUTES } from "./pages/withdrawals/decide.tsx";
import { SETTLE_ROUTES } from "./pages/withdrawals/settle.tsx";
import { NEW_WITHDRAWAL_ROUTES } from "./pages/withdrawals/new.tsx";
import { WITHDRAWAL_LIST_ROUTES } from "./pages/withdrawals/withdrawals.tsx";
import { SECOND_FACTOR_ROUTES } from "./pages/access/second_factor.tsx";
import { PASSKEY_ROUTES } from "./pages/access/passkeys.tsx";
import { PARTS_ROUTES } from "./pages/parts.tsx";
import { PROVE_ROUTES } from "./pages/access/prove.tsx";
import { type GuestRoute, mayUse, type PageRoute, type Route } from "./routes.ts";
import type { MayFollow, NavItem } from "./visit.ts";

/** Pages without sign-in. */
export const GUEST_ROUTES: readonly GuestRoute[] = [
  ...SIGN_IN_ROUTES,
  ...CODE_ROUTES,
  ...SET_UP_ROUTES,
];

/** All other pages, in the order of the navigation: a section begins with its first page. */
export const ROUTES: readonly Route[] = [
  ...HOME_ROUTES,
  ...DEPOSIT_ROUTES,
  ...INVOICE_LIST_ROUTES,
  ...NEW_INVOICE_ROUTES,
  ...PAYMENT_LINK_ROUTES,
  ...NEW_PAYMENT_LINK_ROUTES,
  ...INVOICE_ROUTES,
  ...INVOICE_CHANGE_ROUTES,
  ...REFUND_ROUTES,
  ...COUNTER_ROUTES,
  ...CHECKOUT_ROUTES,
  ...CUSTOMER_ROUTES,
  ...ADDRESS_ROUTES,
  ...SEARCH_ROUTES,
  ...DEPOSIT_DETAIL_ROUTES,
  ...REVERSE_ROUTES,
  ...CREDIT_ROUTES,
  ...VOUCH_ROUTES,
  ...TRANSACTION_ROUTES,
  ...WITHDRAWAL_LIST_ROUTES,
  ...NEW_WITHDRAWAL_ROUTES,
  ...BATCH_LIST_ROUTES,
  ...NEW_BATCH_ROUTES,
  ...BATCH_ROUTES,
  ...WITHDRAWAL_ROUTES,
  ...DECIDE_ROUTES,
  ...SETTLE_ROUTES,
  ...PAYEE_ROUTES,
  ...NEW_PAYEE_ROUTES,
  ...RECIPIENT_ROUTES,
  ...BALANCE_LIST_ROUTES,
  ...LEDGER_ROUTES,
  ...STATEMENT_ROUTES,
  ...LEDGER_CSV_ROUTES,
  ...KEY_ROUTES,
  ...REQUEST_ROUTES,
  ...WEBHOOK_LIST_ROUTES,
  ...WEBHOOK_ROUTES,
  ...DELIVERY_LIST_ROUTES,
  ...DELIVERY_ROUTES,
  ...ALERT_ROUTES,
  ...INBOX_ROUTES,
  ...NETWORK_LIST_ROUTES,
  ...NEW_NETWORK_ROUTES,
  ...NETWORK_ROUTES,
  ...CURRENCY_EDIT_ROUTES,
  ...ADD_TOKEN_ROUTES,
  ...CURRENCY_ROUTES,
  ...RATE_ROUTES,
  ...NEW_RATE_SOURCE_ROUTES,
  ...RULE_LIST_ROUTES,
  ...NEW_RULE_ROUTES,
  ...RULE_ROUTES,
  ...WALLET_ROUTES,
  ...RECEIVING_ROUTES,
  ...SWEEP_LIST_ROUTES,
  ...SWEEP_ROUTES,
  ...ACCOUNT_LIST_ROUTES,
  ...ACCOUNT_ROUTES,
  ...USER_ROUTES,
  ...ROLE_ROUTES,
  ...RECONCILE_ROUTES,
  ...AUDIT_ROUTES,
  ...AUDIT_VERIFY_ROUTES,
  ...STOP_ROUTES,
  ...SETTINGS_ROUTES,
  ...PROFILE_ROUTES,
  ...SECOND_FACTOR_ROUTES,
  ...PASSKEY_ROUTES,
  ...PROVE_ROUTES,
  ...PARTS_ROUTES,
];

/** Whether a path as in a link or form leads anywhere, so that none leads to a refusal. */
export const mayFollow: MayFollow = ({ role, mustSetUp }, method, path) => {
  const asked = `${method} ${path.split(/[?#]/)[0] || "/"}`;
  const route = BY_NAME.get(asked) ?? PATTERNS.find(([is]) => is.test(asked))?.[1];
  if (!route || mustSetUp && !route.isBeforeFactor) return false;
  return mayUse(role, route);
};

const BY_NAME: ReadonlyMap<string, Route> = new Map(
  ROUTES.map((route) => [`${route.kind === "act" ? "POST" : "GET"} ${route.path}`, route]),
);

const PATTERNS = [...BY_NAME].filter(([name]) => name.includes(":"))
  .map(([name, route]) => [patternOf(name), route] as const);

function patternOf(name: string): RegExp {
  const source = name.replaceAll(".", "\\.")
    .replace(/:\w+(?:\{([^}]*)\})?/g, (_, digits) => digits ?? "[^/]+");
  return new RegExp(`^${source}$`);
}

export const NAV: Readonly<Record<Role, readonly NavItem[]>> = {
  operator: navOf("operator"),
  approver: navOf("approver"),
  auditor: navOf("auditor"),
  merchant: navOf("merchant"),
  finance: navOf("finance"),
  developer: navOf("developer"),
  viewer: navOf("viewer"),
};

function navOf(role: Role): NavItem[] {
  return ROUTES
    .filter((route): route is PageRoute => route.kind === "page")
    .filter((route) => mayUse(role, route))
    .flatMap(({ path, nav }) => nav ? [{ path, label: nav.label, group: groupOf(nav, role) }] : []);
}

function groupOf({ group, gatewayGroup = group }: NonNullable<PageRoute["nav"]>, role: Role) {
  return isGatewayRole(role) ? gatewayGroup : group;
}
