/** What the audit log's actions are called, and what a reader would look for them under. */
interface DeedGroup {
  readonly name: string;
  readonly deeds: Readonly<Record<string, string>>;
}

export const DEED_GROUPS: Readonly<Record<string, DeedGroup>> = {
  sign_in: {
    name: "Signing in",
    deeds: {
      "user.signed_in": "Signed in",
      "user.sign_in_failed": "Failed to sign in",
      "user.passkey_refused": "Passkey refused",
      "user.password_given": "Password correct, code not given yet",
      "user.proven": "Confirmed with password or code",
      "user.session_ended": "Session ended",
    },
  },
  users: {
    name: "Users",
    deeds: {
      "user.created": "User created",
      "user.link_made": "One-time link made",
      "user.password_set": "Password set through a link",
      "user.password_changed": "Password changed",
      "user.second_factor_on": "Second factor turned on",
      "user.second_factor_off": "Second factor turned off",
      "user.recovery_code_used": "Recovery code used",
      "user.recovery_codes_renewed": "Recovery codes renewed",
      "user.role_changed": "Role changed",
      "user.reset": "Password and second factor reset",
      "user.disabled": "User disabled",
      "user.enabled": "User enabled",
    },
  },
  keys: {
    name: "API keys",
    deeds: {
      "key.created": "API key created",
      "key.changed": "API key changed",
      "key.revoked": "API key revoked",
    },
  },
  accounts: {
    name: "Accounts",
    deeds: {
      "account.created": "Account created",
      "account.changed": "Account changed",
      "account.checkout_set": "Checkout set up",
      "account.currency_enabled": "Currency switched for the account",
      "account.receiving_wallet_set": "Receiving wallet set",
      "account.adjusted": "Balance adjusted",
      "account.suspended": "Account suspended",
      "account.unsuspended": "Suspension lifted",
      "account.unfrozen": "Payouts resumed for a currency",
      "note.added": "Note added",
    },
  },
  rules: {
    name: "Rules, proposals and recipients",
    deeds: {
      "policy.added": "Rule added",
      "policy.switched_on": "Rule switched on",
      "policy.switched_off": "Rule switched off",
      "policy.edited": "Rule changed",
      "policy.removed": "Rule removed",
      "policy.ready": "Rule counts from now on",
      "policy.counted_anew": "Rule counts anew, for every spelling of its symbol",
      "policies.changed": "Rules have a new version",
      "policies.accepted": "Rules accepted as they are",
      "payee.added": "Payee added",
      "payee.removed": "Payee removed",
      "proposal.made": "Change proposed",
      "proposal.approved": "Proposed change approved",
      "proposal.rejected": "Proposed change rejected",
      "proposal.expired": "Proposed change expired",
      "dual_control.switched": "Dual control switched",
      "recipient.allowed": "Failing recipient allowed again",
    },
  },
  payouts: {
    name: "Payouts",
    deeds: {
      "withdrawal.requested": "Payout requested",
      "withdrawal.approved": "Payout approved",
      "withdrawal.reject": "Payout rejected",
      "withdrawal.rejected": "Payout cancelled after a rejection",
      "withdrawal.signed": "Payout signed",
      "withdrawal.sent": "Payout sent",
      "withdrawal.resent": "Payout sent again",
      "withdrawal.confirmed": "Payout confirmed",
      "withdrawal.cancelled": "Payout cancelled",
      "withdrawal.expired": "Payout expired",
      "withdrawal.dropped": "Payout dropped by the network",
      "withdrawal.reverted": "Payout reverted by the contract",
      "withdrawal.broadcast_rejected": "Payout refused by the node",
      "withdrawal.no_hot_wallet": "Payout failed: no hot wallet",
      "withdrawal.adopted": "Payout found on the chain",
    },
  },
  batches: {
    name: "Batches and replaced transactions",
    deeds: {
      "batch.checked": "Batch checked",
      "batch.started": "Batch started",
      "transfer.outbid": "Fee raised",
      "transfer.voided": "Payment revoked on the chain",
      "transfer.adopted": "Unknown payment booked",
    },
  },
  deposits: {
    name: "Deposits",
    deeds: {
      "deposit.confirmed": "Deposit credited",
      "deposit.vanished": "Deposit taken back: gone from the chain",
      "deposit.credited": "Deposit credited manually",
      "deposit.reversed": "Deposit reversed",
      "deposit.vouched": "Vouched for a deposit",
      "deposit.vouching": "Vouched for several deposits",
    },
  },
  invoices: {
    name: "Invoices",
    deeds: {
      "invoice.created": "Invoice created",
      "invoice.cancelled": "Invoice cancelled",
      "invoice.accepted": "Invoice accepted as paid",
      "invoice.added_up_again": "Sums of an invoice put right",
      "invoice.extended": "Invoice extended",
      "invoice.refunded": "Invoice refunded",
      "invoice.refund_link_made": "Refund link made",
      "payment_link.created": "Payment link created",
      "payment_link.deactivated": "Payment link deactivated",
    },
  },
  wallets: {
    name: "Wallets and sweeps",
    deeds: {
      "wallet.created": "Wallet created",
      "wallet.resumed": "Wallet may sign again",
      "deposit_address.recovered": "Deposit address recovered",
      "sweep.retried": "Sweep retried",
    },
  },
  networks: {
    name: "Networks and currencies",
    deeds: {
      "network.added": "Network added",
      "network.changed": "Network changed",
      "network.rescanned": "Blocks read again",
      "network.resumed": "Network resumed",
      "network.removed": "Network removed",
      "currency.added": "Currency added",
      "currency.changed": "Currency changed",
      "rate_source.added": "Source of rates added",
      "rate_source.removed": "Source of rates removed",
    },
  },
  webhooks: {
    name: "Webhooks and notifications",
    deeds: {
      "webhook.added": "Webhook added",
      "webhook.changed": "Webhook changed",
      "webhook.enabled": "Webhook enabled",
      "webhook.disabled": "Webhook disabled",
      "webhook.rotated": "Webhook's secret replaced",
      "webhook.removed": "Webhook removed",
      "webhook.tested": "Webhook tested",
      "webhook.triggered": "Sample event sent",
      "webhook.redelivered": "Events sent again",
      "notify.added": "Notification receiver added",
      "notify.removed": "Notification receiver removed",
      "notify.tested": "Notification receiver tested",
    },
  },
  gateway: {
    name: "The gateway itself",
    deeds: {
      "gateway.stopped": "All payouts stopped",
      "gateway.resumed": "Payouts resumed",
      "settings.changed": "Settings changed",
      "alert.resolved": "Alert resolved",
      "backup.made": "Backup made",
      "books.reconciled": "Books and chain compared",
      "books.sealing": "Sealing of old books began",
      "books.sealed": "Old books sealed",
      "books.allowances_sealed": "Old settings sealed",
      "books.balances_summed": "Old balances added up",
      "books.credits_noted": "Old credits noted",
      "integrity.accepting": "Acceptance of a row began",
      "integrity.accepted": "Row accepted as it is",
      "integrity.resumed": "Payouts resumed after a check",
      "master_key.rotating": "Master key rotation began",
      "master_key.rotated": "Master key rotated",
      "seed.created": "Recovery phrase created",
      "seed.imported": "Recovery phrase imported",
      "seed.shown": "Recovery phrase shown",
    },
  },
};

const WORDS: ReadonlyMap<string, string> = new Map(
  Object.values(DEED_GROUPS).flatMap(({ deeds }) => Object.entries(deeds)),
);

/** One that this version doesn't know is shown as it is stored. */
export function deedText(action: string): string {
  return WORDS.get(action) ?? action.replace(/[._]/g, " ");
}

/** The actions to look for: those of a group, or a single one. */
export function deedsWanted(text: string | null): readonly string[] | null {
  if (text === null) return null;
  const group = Object.hasOwn(DEED_GROUPS, text) ? DEED_GROUPS[text] : undefined;
  return group ? Object.keys(group.deeds) : [text];
}
