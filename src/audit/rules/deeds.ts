/** Why there is no before and after. */
const PROOF = "somebody showed who they are, or failed to; nothing was changed";
const MADE = "nothing was there before, and the entry says what was made";
const SECRET = "passwords, codes and secrets are never written down";
const SENT = "something was sent once more; nothing was changed";
const LOOKED = "somebody looked; nothing was changed";
const KEPT = "the rows stay as they are, and count again";
const SEEN_TO = "nobody is reminded of it any more; nothing else was changed";
const UPDATE = "the program did it once after an update, and no setting changed";

interface Fact {
  readonly words: string;
  /** It says no before and after, and this is why. */
  readonly why: string;
}

function fact(words: string, why: string): Fact {
  return { words, why };
}

interface DeedGroup {
  readonly name: string;
  readonly deeds: Readonly<Record<string, string | Fact>>;
}

/**
 * Every action of the audit log, what it is called, and what a reader would look for it under.
 * Nothing else can be recorded. What isn't a fact changes something that was there, so it doesn't
 * compile without a before and an after. What only older versions recorded stays known.
 */
export const DEED_GROUPS = {
  sign_in: {
    name: "Signing in",
    deeds: {
      "user.signed_in": fact("Signed in", PROOF),
      "user.sign_in_failed": fact("Failed to sign in", PROOF),
      "user.passkey_refused": fact("Passkey refused", PROOF),
      "user.password_given": fact("Password correct, code not given yet", PROOF),
      "user.proven": fact("Confirmed with password or code", PROOF),
      "user.session_ended": "Session ended",
    },
  },
  users: {
    name: "Users",
    deeds: {
      "user.created": "User created",
      "user.link_made": fact("One-time link made", MADE),
      "user.link_ended": fact("One-time link ended unused", MADE),
      "user.password_set": fact("Password set through a link", SECRET),
      "user.password_changed": fact("Password changed", SECRET),
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
      "key.created": fact("API key created", MADE),
      "key.changed": "API key changed",
      "key.revoked": "API key revoked",
    },
  },
  accounts: {
    name: "Accounts",
    deeds: {
      "account.created": fact("Account created", MADE),
      "account.changed": "Account changed",
      "account.checkout_set": "Checkout set up",
      "account.currency_enabled": "Currency switched for the account",
      "account.receiving_wallet_set": "Receiving wallet set",
      "account.adjusted": "Balance adjusted",
      "account.suspended": "Account suspended",
      "account.unsuspended": "Suspension lifted",
      "account.unfrozen": "Payouts resumed for a currency",
      "note.added": fact("Note added", MADE),
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
      "policies.changed": fact(
        "Rules have a new version",
        "each rule that was changed has an entry with both sides",
      ),
      "policies.accepted": fact("Rules accepted as they are", KEPT),
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
      "withdrawal.requested": fact("Payout requested", MADE),
      "withdrawal.approved": "Payout approved",
      "withdrawal.reject": "Payout rejected",
      "withdrawal.rejected": "Payout cancelled after a rejection",
      "withdrawal.signed": fact("Payout signed", "the payment stays pending until it is sent"),
      "withdrawal.sent": "Payout sent",
      "withdrawal.resent": fact("Payout sent again", SENT),
      "withdrawal.confirmed": "Payout confirmed",
      "withdrawal.cancelled": "Payout cancelled",
      "withdrawal.expired": "Payout expired",
      "withdrawal.dropped": "Payout dropped by the network",
      "withdrawal.reverted": "Payout reverted by the contract",
      "withdrawal.broadcast_rejected": "Payout refused by the node",
      "withdrawal.no_hot_wallet": "Payout failed: no hot wallet",
      "withdrawal.adopted": fact("Payout found on the chain", MADE),
    },
  },
  batches: {
    name: "Batches and replaced transactions",
    deeds: {
      "batch.checked": fact("Batch checked", MADE),
      "batch.started": "Batch started",
      "transfer.outbid": fact(
        "Fee raised",
        "the earlier transaction stays, and the payment's page shows all of them",
      ),
      "transfer.voided": fact(
        "Payment revoked on the chain",
        "the earlier transaction stays, and the payment's page shows all of them",
      ),
      "transfer.adopted": fact("Unknown payment booked", MADE),
    },
  },
  deposits: {
    name: "Deposits",
    deeds: {
      "deposit.confirmed": "Deposit credited",
      "deposit.vanished": "Deposit taken back: gone from the chain",
      "deposit.credited": fact("Deposit credited manually", MADE),
      "deposit.reversed": "Deposit reversed",
      "deposit.left_behind": "Counted as swept and still there: swept again",
      "deposit.vouched": fact("Vouched for a deposit", KEPT),
      "deposit.vouching": fact("Vouched for several deposits", KEPT),
    },
  },
  invoices: {
    name: "Invoices",
    deeds: {
      "invoice.created": fact("Invoice created", MADE),
      "invoice.cancelled": "Invoice cancelled",
      "invoice.accepted": "Invoice accepted as paid",
      "invoice.added_up_again": "Sums of an invoice put right",
      "invoice.extended": "Invoice extended",
      "invoice.refunded": fact("Invoice refunded", MADE),
      "invoice.refund_link_made": fact("Refund link made", MADE),
      "payment_link.created": "Payment link created",
      "payment_link.deactivated": "Payment link deactivated",
    },
  },
  wallets: {
    name: "Wallets and sweeps",
    deeds: {
      "wallet.created": fact("Wallet created", MADE),
      "wallet.resumed": "Wallet may sign again",
      "address.released": fact("Delegation of an address taken back", SENT),
      "deposit_address.recovered": fact("Deposit address recovered", MADE),
      "sweep.retried": "Sweep retried",
    },
  },
  networks: {
    name: "Networks and currencies",
    deeds: {
      "network.added": fact("Network added", MADE),
      "network.changed": "Network changed",
      "network.rescanned": fact("Blocks read again", LOOKED),
      "network.resumed": "Network resumed",
      "network.collector_deployed": fact("Contract for collecting deployed", SENT),
      "network.gas_withdrawn": fact("Coins taken out of the gas wallet", SENT),
      "network.staked": fact("Coins staked for energy", SENT),
      "network.unstaked": fact("Coins unstaked", SENT),
      "network.unstaked_back": fact("Unstaked coins taken back", SENT),
      "network.removed": "Network removed",
      "currency.added": fact("Currency added", MADE),
      "currency.changed": "Currency changed",
      "rate_source.added": "Source of rates added",
      "rate_source.removed": "Source of rates removed",
    },
  },
  webhooks: {
    name: "Webhooks and notifications",
    deeds: {
      "webhook.added": fact("Webhook added", MADE),
      "webhook.changed": "Webhook changed",
      "webhook.enabled": "Webhook enabled",
      "webhook.disabled": "Webhook disabled",
      "webhook.rotated": "Webhook's secret replaced",
      "webhook.removed": "Webhook removed",
      "webhook.tested": fact("Webhook tested", SENT),
      "webhook.triggered": fact("Sample event sent", SENT),
      "webhook.redelivered": fact("Events sent again", SENT),
      "notify.added": fact("Notification receiver added", MADE),
      "notify.removed": "Notification receiver removed",
      "notify.tested": fact("Notification receiver tested", SENT),
    },
  },
  gateway: {
    name: "The gateway itself",
    deeds: {
      "gateway.stopped": "All payouts stopped",
      "gateway.resumed": "Payouts resumed",
      "settings.changed": "Settings changed",
      "alert.resolved": "Alert resolved",
      "backup.made": fact("Backup made", LOOKED),
      "books.reconciled": fact("Books and chain compared", LOOKED),
      "books.sealing": fact("Sealing of old books began", UPDATE),
      "books.sealed": fact("Old books sealed", UPDATE),
      "books.allowances_sealed": fact("Old settings sealed", UPDATE),
      "books.balances_summed": fact("Old balances added up", UPDATE),
      "books.credits_noted": fact("Old credits noted", UPDATE),
      "integrity.accepting": fact("Acceptance of a row began", KEPT),
      "integrity.accepted": fact("Row accepted as it is", KEPT),
      "integrity.resumed": "Payouts resumed after a check",
      "master_key.rotating": "Master key rotation began",
      "master_key.rotated": "Master key rotated",
      "seed.created": fact("Recovery phrase created", MADE),
      "seed.imported": fact("Recovery phrase imported", SECRET),
      "seed.kept": fact("Words of the recovery phrase repeated", KEPT),
      "seed.shown": fact("Recovery phrase shown", LOOKED),
      "set_up.left_out": fact("Left out of the set-up", SEEN_TO),
    },
  },
} as const satisfies Readonly<Record<string, DeedGroup>>;

type Groups = typeof DEED_GROUPS;
export type Deed = { [G in keyof Groups]: keyof Groups[G]["deeds"] }[keyof Groups];
type FactsIn<Deeds> = {
  [D in keyof Deeds]: Deeds[D] extends Fact ? D : never;
}[keyof Deeds];
type FactDeed = { [G in keyof Groups]: FactsIn<Groups[G]["deeds"]> }[keyof Groups];

type Detail = Readonly<Record<string, unknown>>;

/** Both sides; a change has only the fields that were set. */
type Compared =
  & Detail
  & (
    | { readonly before: unknown; readonly after: unknown }
    | { readonly before: unknown; readonly change: unknown }
    | { readonly from: unknown; readonly to: unknown }
  );

export type Said =
  | { readonly action: FactDeed; readonly detail?: Detail }
  | { readonly action: Deed; readonly detail: Compared };

const DEEDS: ReadonlyMap<string, string | Fact> = new Map(
  Object.values(DEED_GROUPS).flatMap(({ deeds }) => Object.entries(deeds)),
);

/** One that this version doesn't know is shown as it is stored. */
export function deedText(action: string): string {
  const deed = DEEDS.get(action) ?? action.replace(/[._]/g, " ");
  return typeof deed === "string" ? deed : deed.words;
}

/** The actions to look for: those of a group, or a single one. */
export function deedsWanted(text: string | null): readonly string[] | null {
  if (text === null) return null;
  const group = Object.entries(DEED_GROUPS).find(([name]) => name === text)?.[1];
  return group ? Object.keys(group.deeds) : [text];
}
