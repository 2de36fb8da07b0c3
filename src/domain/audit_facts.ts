const PROOF = "somebody showed who they are, or failed to; nothing was changed";
const MADE = "nothing was there before, and the entry says what was made";
const SECRET = "passwords, codes and secrets are never written down";
const SENT = "something was sent once more; nothing was changed";
const LOOKED = "somebody looked; nothing was changed";
const KEPT = "the rows stay as they are, and count again";
const UPDATE = "the program did it once after an update, and no setting changed";

/**
 * What the audit log says without a before and an after, and why. Every other action changes
 * something that was there, so it doesn't compile without both.
 */
export const FACTS = {
  "account.created": MADE,
  "backup.made": LOOKED,
  "batch.checked": MADE,
  "books.allowances_sealed": UPDATE,
  "books.balances_summed": UPDATE,
  "books.credits_noted": UPDATE,
  "books.reconciled": LOOKED,
  "books.sealed": UPDATE,
  "books.sealing": UPDATE,
  "currency.added": MADE,
  "deposit.credited": MADE,
  "deposit.vouched": KEPT,
  "deposit.vouching": KEPT,
  "deposit_address.recovered": MADE,
  "integrity.accepted": KEPT,
  "integrity.accepting": KEPT,
  "invoice.created": MADE,
  "invoice.refund_link_made": MADE,
  "invoice.refunded": MADE,
  "key.created": MADE,
  "network.added": MADE,
  "network.rescanned": LOOKED,
  "note.added": MADE,
  "notify.added": MADE,
  "notify.tested": SENT,
  "policies.accepted": KEPT,
  "policies.changed": "each rule that was changed has an entry with both sides",
  "seed.created": MADE,
  "seed.imported": SECRET,
  "seed.shown": LOOKED,
  "transfer.adopted": MADE,
  "transfer.outbid": "the earlier transaction stays, and the payment's page shows all of them",
  "transfer.voided": "the earlier transaction stays, and the payment's page shows all of them",
  "user.link_made": MADE,
  "user.passkey_refused": PROOF,
  "user.password_changed": SECRET,
  "user.password_given": PROOF,
  "user.password_set": SECRET,
  "user.proven": PROOF,
  "user.sign_in_failed": PROOF,
  "user.signed_in": PROOF,
  "wallet.created": MADE,
  "webhook.added": MADE,
  "webhook.redelivered": SENT,
  "webhook.tested": SENT,
  "webhook.triggered": SENT,
  "withdrawal.adopted": MADE,
  "withdrawal.requested": MADE,
  "withdrawal.resent": SENT,
  "withdrawal.signed": "the payment stays pending until it is sent",
} as const;
type Fact = keyof typeof FACTS;

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
  | { readonly action: Fact; readonly detail?: Detail }
  | { readonly action: string; readonly detail: Compared };
