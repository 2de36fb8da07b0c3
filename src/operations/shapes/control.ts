import type { PayoutLook } from "../../approvals/look.ts";
import type { MeterNow } from "../../policies/meter_now.ts";
import { isApplied } from "../../policies/plan.ts";
import { proposalSentence } from "../../proposals/changes.ts";
import type { Preview } from "../../policies/preview.ts";
import { heldBackText } from "../../payouts/rules/held_back.ts";
import { ruleSentence } from "../../policies/rules/sentence.ts";
import type { Verdict } from "../../policies/rules/rules.ts";
import { isoUtc, isoUtcOrNull } from "../../domain/time.ts";
import type { ApprovalRequestRow } from "../../approvals/table.ts";
import type { PayeeRow } from "../../payees/table.ts";
import type { ProposalRow } from "../../proposals/table.ts";
import type { PolicyRow } from "../../policies/table.ts";

export function policyShape(row: PolicyRow) {
  return {
    policy_id: row.id,
    label: row.label,
    sentence: ruleSentence(row),
    account_id: row.accountId,
    key_id: row.keyId,
    network: row.network,
    currency: row.currency,
    in: row.quote,
    each: row.each,
    condition: row.condition,
    limit: row.cap,
    outcome: row.outcome,
    approvals: row.outcome === "approve" ? row.approvals : null,
    expires_seconds: row.outcome === "approve" ? row.expiresMs / 1000 : null,
    set_by: row.setBy,
    active: isApplied(row),
    created_at: isoUtc(row.createdAtMs),
  };
}

/** With how much of its limit is used now; of a limit for each, by whoever has used most. */
export function listedPolicyShape(row: PolicyRow, meter: MeterNow | undefined) {
  return {
    ...policyShape(row),
    used: meter?.used ?? null,
    used_by: meter && row.each !== null ? meter.split : null,
    counts_from: isoUtcOrNull(meter?.countsFromMs ?? null),
  };
}

export function verdictShape({ outcome, matching }: Verdict) {
  return {
    outcome,
    rules: matching.map(({ id, label, outcome }) => ({ policy_id: id, label, outcome })),
  };
}

export function previewShape({ rule, payments, covered, isCut }: Preview) {
  const counted = (wanted: string) => payments.filter(({ outcome }) => outcome === wanted).length;
  return {
    sentence: ruleSentence(rule),
    payments: payments.length,
    covered,
    allow: counted("allow"),
    approve: counted("approve"),
    refuse: counted("refuse"),
    totals_complete: !isCut,
    stopped: payments.filter(({ outcome }) => outcome !== "allow").map(({ past, outcome }) => ({
      withdrawal_id: past.id,
      outcome,
      amount: past.payment.amount,
      currency: past.payment.currency,
      requested_at: isoUtc(past.requestedAtMs),
    })),
  };
}

export function payeeShape(row: PayeeRow) {
  return {
    payee_id: row.id,
    account_id: row.accountId,
    network: row.network,
    address: row.address,
    label: row.label,
    usable_at: isoUtc(row.usableAtMs),
    created_at: isoUtc(row.createdAtMs),
  };
}

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

export function proposalShape(row: ProposalRow) {
  return {
    proposal_id: row.id,
    kind: row.kind,
    summary: proposalSentence(row),
    account_id: row.accountId,
    state: row.state,
    asked_by: row.askedBy,
    asked_from: row.askedIp,
    before: row.before,
    after: row.after,
    decided_by: row.decidedBy,
    decided_at: isoUtcOrNull(row.decidedAtMs),
    reason: row.reason,
    created_at: isoUtc(row.createdAtMs),
    expires_at: isoUtc(row.expiresAtMs),
  };
}
