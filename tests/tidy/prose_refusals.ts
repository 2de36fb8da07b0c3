/** Refusals that are still prose: none may be added, and a file without any leaves. */
export const PROSE_REFUSALS: Readonly<Record<string, number>> = {
  "src/actions/integrity/manage_integrity.ts": 4,
  "src/actions/integrity/resume.ts": 6,
};
