/** Texts that still name a command or a flag: none may be added, and a file without any leaves. */
export const NAMING_COMMANDS: Readonly<Record<string, number>> = {
  "src/actions/books/tampered.ts": 1,
  "src/actions/integrity/manage_integrity.ts": 1,
  "src/actions/integrity/never_credited.ts": 1,
  "src/actions/integrity/payment_noted.ts": 1,
  "src/actions/integrity/resume.ts": 4,
  "src/actions/restore/_claim_sweep.ts": 1,
  "src/actions/restore/_claim_withdrawal.ts": 5,
  "src/actions/restore/_judge_found.ts": 2,
  "src/actions/restore/_lost_owners.ts": 2,
  "src/actions/restore/_outlived.ts": 1,
  "src/actions/restore/_read_back.ts": 3,
  "src/actions/restore/adopt_spend.ts": 2,
  "src/actions/restore/recover_addresses.ts": 1,
  "src/actions/restore/resume_wallet.ts": 3,
};
