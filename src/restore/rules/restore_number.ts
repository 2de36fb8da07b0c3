/** Key indexes must stay below 2^31; this does until 2094. */
const NUMBERS_SINCE_MS = Date.UTC(2026, 0, 1);

/**
 * No database remembers what was created after the backup, and nobody who pays it or asks for its
 * id may reach somebody else's. So new numbers continue at the seconds since 2026: beyond all
 * earlier ones, unless more than one per second was used all year.
 */
export function restoreNumber(nowMs: number): number {
  return Math.floor((nowMs - NUMBERS_SINCE_MS) / 1000);
}

/** The time of the restore that this number came from. */
export function restoredAtMs(number: number): number {
  return NUMBERS_SINCE_MS + number * 1000;
}
