import type { PayoutLook } from "./look.ts";
import type { ApprovalRequestRow } from "./table.ts";
import { isoUtc, isoUtcOrNull } from "../domain/time.ts";
import { heldBackText } from "../payouts/rules/held_back.ts";

export function approvalShape(row: ApprovalRequestRow) {
  return {
    withdrawal_id: row.withdrawalId,
    account_id: row.accountId,
    approvals: row.given,
    approvals_needed: row.needed,
    rules: row.rules,
    requested_by: row.requestedBy,
    requested_at: isoUtc(row.createdAtMs),
    expires_at: isoUtc(row.expiresAtMs),
  };
}

/** What somebody has to know before they approve a payout. */
export function lookShape(look: PayoutLook) {
  const { row, request, key, payee } = look;
  return {
    ...approvalShape(request),
    network: row.network,
    currency: row.currency,
    amount: row.amount,
    to_address: row.toAddress,
    held_back: look.heldBack ? heldBackText(look.heldBack) : null,
    looks_like: look.looksLike ?? null,
    payee: payee?.label ?? null,
    payee_usable_at: payee ? isoUtc(payee.usableAtMs) : null,
    key: key?.label ?? null,
    key_revoked: key !== undefined && key.revokedAtMs !== null,
    requested_by: look.askedBy,
    requested_from: look.ip,
    ...historyShape(look),
  };
}

function historyShape({ toRecipient, lastToRecipient: last, ...look }: PayoutLook) {
  return {
    paid_before: toRecipient.count,
    first_paid_at: isoUtcOrNull(toRecipient.firstAtMs),
    last_paid: last ? { amount: last.amount, currency: last.currency } : null,
    last_paid_at: isoUtcOrNull(last?.requestedAtMs ?? null),
    recipient_30_days: look.ofRecipient,
    account_30_days: look.ofAccount,
  };
}
