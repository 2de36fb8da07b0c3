/** Refusals that are still prose: none may be added, and a file without any leaves. */
export const PROSE_REFUSALS: Readonly<Record<string, number>> = {};
