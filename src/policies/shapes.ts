import { isoUtc, isoUtcOrNull } from "../domain/time.ts";
import type { MeterNow } from "./meter_now.ts";
import { isApplied } from "./plan.ts";
import type { Preview } from "./preview.ts";
import type { Verdict } from "./rules/rules.ts";
import { ruleSentence } from "./rules/sentence.ts";
import type { PolicyRow } from "./table.ts";

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
