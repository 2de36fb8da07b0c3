/** Roles of the whole installation see every account; the others see only their own. */
const GATEWAY_ROLES = ["operator", "approver", "auditor"] as const;
export const ACCOUNT_ROLES = ["merchant", "finance", "developer", "viewer"] as const;
export const ROLES = [...GATEWAY_ROLES, ...ACCOUNT_ROLES] as const;
export type Role = typeof ROLES[number];

/** What a page shows or a form does. */
export type Ability =
  /** One's own password, sessions and second factor. */
  | "own_login"
  /** Deposits, withdrawals and settings of the accounts that the role sees. */
  | "see"
  | "see_gateway"
  | "see_users"
  /** Change anything that belongs to the whole installation. */
  | "operate"
  | "stop"
  | "approve"
  | "pay"
  /** Ask payers for money, and accept what they paid. */
  | "manage_invoices"
  | "set_up_account"
  | "manage_users"
  /** Of the own account: only those that its people set. */
  | "manage_rules"
  | "manage_keys"
  | "manage_withdraw_keys"
  | "manage_webhooks";

const SEES_ALL = ["own_login", "see", "see_gateway", "see_users"] as const;
const SEES_ACCOUNT = ["own_login", "see"] as const;

/** Whatever isn't listed is refused. */
const ABILITIES: Readonly<Record<Role, readonly Ability[]>> = {
  operator: [
    ...SEES_ALL,
    ...["operate", "stop", "approve", "pay", "set_up_account", "manage_users"] as const,
    ...["manage_invoices", "manage_rules"] as const,
    ...["manage_keys", "manage_withdraw_keys", "manage_webhooks"] as const,
  ],
  approver: [...SEES_ALL, "stop", "approve"],
  auditor: SEES_ALL,
  merchant: [
    ...SEES_ACCOUNT,
    ...["see_users", "approve", "pay", "set_up_account", "manage_users"] as const,
    ...["manage_invoices", "manage_rules"] as const,
    ...["manage_keys", "manage_withdraw_keys", "manage_webhooks"] as const,
  ],
  finance: [...SEES_ACCOUNT, "approve", "pay", "manage_invoices"],
  developer: [...SEES_ACCOUNT, "manage_keys", "manage_webhooks"],
  viewer: SEES_ACCOUNT,
};

/** A role that this program doesn't know, from a newer one or a forged row, may do nothing. */
export function isAble(role: Role, ability: Ability): boolean {
  return Object.hasOwn(ABILITIES, role) && ABILITIES[role].includes(ability);
}

export function isGatewayRole(role: Role): boolean {
  return GATEWAY_ROLES.some((one) => one === role);
}

/** What each role is for, in a list of choices or in help. */
export const ROLE_WORDS: Readonly<Record<Role, string>> = {
  operator: "everything",
  approver: "sees everything, approves payouts and proposals, may stop payments",
  auditor: "sees everything, changes nothing",
  merchant: "everything in one account",
  finance: "payouts, refunds, payees, invoices and statements of one account",
  developer: "keys without withdraw and webhooks of one account",
  viewer: "sees one account, changes nothing",
};

/** What each ability is, in a table of who may do what. */
export const ABILITY_WORDS: Readonly<Record<Ability, string>> = {
  own_login: "Change their own password, sessions and second factors",
  see: "See payments, payouts, balances, keys and webhooks",
  see_gateway: "See networks, rates, alerts, the audit log and settings",
  see_users: "See logins",
  operate: "Change networks, limits, accounts and settings, and correct the books",
  stop: "Stop all payouts",
  approve: "Approve and reject payouts and proposals, and write notes",
  pay: "Request payouts and refunds, cancel them, and list payees",
  manage_invoices: "Create and end invoices",
  set_up_account: "Switch currencies on, and choose receiving wallets",
  manage_users: "Create, reset and disable logins, and change their roles",
  manage_rules: "Set rules for payouts",
  manage_keys: "Create and revoke API keys that can't pay",
  manage_withdraw_keys: "Create and revoke API keys that can pay",
  manage_webhooks: "Manage webhooks and send events again",
};
