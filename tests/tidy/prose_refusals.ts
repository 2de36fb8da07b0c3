/** Refusals that are still prose: none may be added, and a file without any leaves. */
export const PROSE_REFUSALS: Readonly<Record<string, number>> = {
  "src/actions/integrity/manage_integrity.ts": 4,
  "src/actions/integrity/resume.ts": 6,
  "src/actions/restore/_claim_sweep.ts": 3,
  "src/actions/restore/_claim_withdrawal.ts": 7,
  "src/actions/restore/_lost_owners.ts": 7,
  "src/actions/restore/_outlived.ts": 2,
  "src/actions/restore/_read_back.ts": 3,
  "src/actions/restore/adopt_spend.ts": 3,
  "src/actions/restore/audit_copy.ts": 1,
  "src/actions/restore/back_up.ts": 4,
  "src/actions/restore/recover_addresses.ts": 1,
  "src/actions/restore/resume_wallet.ts": 5,
  "src/actions/settlement/book_spend.ts": 1,
};
