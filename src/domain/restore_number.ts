/** Key indexes are below 2^31, which is enough until 2094. */
const NUMBERS_SINCE_MS = Date.UTC(2026, 0, 1);

/**
 * What was made since the backup is in no database any more: who pays it, or asks for it by its id,
 * must not find somebody else's. So new numbers are the seconds since then, beyond all that were given
 * before, unless there is more than one a second all year.
 */
export function restoreNumber(nowMs: number): number {
  return Math.floor((nowMs - NUMBERS_SINCE_MS) / 1000);
}

/** When it was restored, by the number that it gave. */
export function restoredAtMs(number: number): number {
  return NUMBERS_SINCE_MS + number * 1000;
}
