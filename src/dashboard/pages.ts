import { isGatewayRole, type Role } from "../access/rules/roles.ts";
import { CODE_ROUTES, SIGN_IN_ROUTES } from "../access/pages/sign_in.tsx";
import { SET_UP_ROUTES } from "../access/pages/set_up.tsx";
import { PROFILE_ROUTES } from "../access/pages/profile.tsx";
import { BEGIN_ROUTES } from "../home/pages/begin.tsx";
import { HOME_ROUTES } from "../home/pages/home.tsx";
import { ACCOUNT_ROUTES } from "../accounts/pages/account.tsx";
import { ACCOUNT_LIST_ROUTES } from "../accounts/pages/accounts.tsx";
import { KEY_ROUTES } from "../access/pages/keys.tsx";
import { RECEIVING_ROUTES } from "../accounts/pages/receiving_wallet.tsx";
import { ROLE_ROUTES } from "../access/pages/roles.tsx";
import { USER_ROUTES } from "../access/pages/users.tsx";
import { BALANCE_LIST_ROUTES } from "../books/pages/balances.tsx";
import { LEDGER_CSV_ROUTES } from "../books/pages/csv.ts";
import { LEDGER_ROUTES } from "../books/pages/ledger.tsx";
import { STATEMENT_ROUTES } from "../books/pages/statement.tsx";
import { BATCH_ROUTES } from "../payouts/pages/batch.tsx";
import { BATCH_LIST_ROUTES } from "../payouts/pages/batches.tsx";
import { NEW_BATCH_ROUTES } from "../payouts/pages/new.tsx";
import { WALLET_ROUTES } from "../wallets/pages/wallets.tsx";
import { DELIVERY_LIST_ROUTES } from "../webhooks/pages/deliveries.tsx";
import { DELIVERY_ROUTES } from "../webhooks/pages/delivery.tsx";
import { REQUEST_ROUTES } from "../request_log/pages/requests.tsx";
import { WEBHOOK_ROUTES } from "../webhooks/pages/webhook.tsx";
import { WEBHOOK_LIST_ROUTES } from "../webhooks/pages/webhooks.tsx";
import { INBOX_ROUTES } from "../approvals/pages/inbox.tsx";
import { ALERT_ROUTES } from "../alerts/pages/alerts.tsx";
import { AUDIT_ROUTES } from "../audit/pages/audit.tsx";
import { AUDIT_VERIFY_ROUTES } from "../audit/pages/verify.tsx";
import { NEW_RATE_SOURCE_ROUTES } from "../rates/pages/new.tsx";
import { RATE_ROUTES } from "../rates/pages/rates.tsx";
import { RECIPIENT_ROUTES } from "../withdrawals/pages/recipients.tsx";
import { RECONCILE_ROUTES } from "../reconcile/pages/reconcile.tsx";
import { CREDIT_ROUTES } from "../deposits/pages/credit.tsx";
import { CURRENCY_ROUTES } from "../networks/pages/currencies.tsx";
import { ADD_TOKEN_ROUTES } from "../networks/pages/add_token.tsx";
import { CURRENCY_EDIT_ROUTES } from "../networks/pages/currency.tsx";
import { NETWORK_ROUTES } from "../networks/pages/network.tsx";
import { NEW_NETWORK_ROUTES } from "../networks/pages/new.tsx";
import { COST_ROUTES } from "../costs/pages/costs.tsx";
import { NETWORK_LIST_ROUTES } from "../networks/pages/networks.tsx";
import { SETTINGS_ROUTES } from "../access/pages/settings.tsx";
import { DEPOSIT_DETAIL_ROUTES } from "../deposits/pages/deposit.tsx";
import { NEW_RULE_ROUTES } from "../policies/pages/new.tsx";
import { RULE_ROUTES } from "../policies/pages/rule.tsx";
import { NEW_PAYEE_ROUTES } from "../payees/pages/new.tsx";
import { PAYEE_ROUTES } from "../payees/pages/payees.tsx";
import { RULE_LIST_ROUTES } from "../policies/pages/rules.tsx";
import { SEARCH_ROUTES } from "../search/pages/search.tsx";
import { ADDRESS_ROUTES } from "../customers/pages/address.tsx";
import { CUSTOMER_ROUTES } from "../customers/pages/customers.tsx";
import { REVERSE_ROUTES } from "../deposits/pages/reverse.tsx";
import { VOUCH_ROUTES } from "../deposits/pages/vouch.tsx";
import { STOP_ROUTES } from "../integrity/pages/stop.tsx";
import { SWEEP_ROUTES } from "../sweeps/pages/sweep.tsx";
import { SWEEP_LIST_ROUTES } from "../sweeps/pages/sweeps.tsx";
import { DEPOSIT_ROUTES } from "../deposits/pages/deposits.tsx";
import { CHECKOUT_ROUTES } from "../checkout/pages/checkout.tsx";
import { INVOICE_CHANGE_ROUTES } from "../invoices/pages/change.ts";
import { COUNTER_ROUTES } from "../invoices/pages/counter.tsx";
import { INVOICE_ROUTES } from "../invoices/pages/invoice.tsx";
import { INVOICE_LIST_ROUTES } from "../invoices/pages/invoices.tsx";
import { REFUND_ROUTES } from "../invoices/pages/refund.tsx";
import { NEW_INVOICE_ROUTES } from "../invoices/pages/new.tsx";
import { NEW_PAYMENT_LINK_ROUTES } from "../invoices/pages/new_payment_link.tsx";
import { PAYMENT_LINK_ROUTES } from "../invoices/pages/payment_links.tsx";
import { TRANSACTION_ROUTES } from "../deposits/pages/transactions.tsx";
import { WITHDRAWAL_ROUTES } from "../withdrawals/pages/withdrawal.tsx";
import { DECIDE_ROUTES } from "../withdrawals/pages/decide.tsx";
import { SETTLE_ROUTES } from "../withdrawals/pages/settle.tsx";
import { NEW_WITHDRAWAL_ROUTES } from "../withdrawals/pages/new.tsx";
import { WITHDRAWAL_LIST_ROUTES } from "../withdrawals/pages/withdrawals.tsx";
import { SECOND_FACTOR_ROUTES } from "../access/pages/second_factor.tsx";
import { PASSKEY_ROUTES } from "../access/pages/passkeys.tsx";
import { PARTS_ROUTES } from "./pages/parts.tsx";
import { PROVE_ROUTES } from "../access/pages/prove.tsx";
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
  ...COST_ROUTES,
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
  ...BEGIN_ROUTES,
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
