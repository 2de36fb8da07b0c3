/** Texts that still name a command or a flag: none may be added, and a file without any leaves. */
export const NAMING_COMMANDS: Readonly<Record<string, number>> = {
  "src/actions/books/tampered.ts": 1,
  "src/actions/integrity/manage_integrity.ts": 1,
  "src/actions/integrity/never_credited.ts": 1,
  "src/actions/integrity/payment_noted.ts": 1,
  "src/actions/integrity/resume.ts": 4,
};
