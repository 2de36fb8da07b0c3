import { isoUtc, isoUtcOrNull } from "../domain/time.ts";
import { proposalSentence } from "./changes.ts";
import type { ProposalRow } from "./table.ts";

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
