import type { Clock } from "../../base/clock.ts";
import { nextTurn } from "../../base/waiting/next_turn.ts";

/** An empty turn of the event loop takes about five microseconds. */
const QUIET_TURNS_MAX = 200;
const TURNS_MAX = 600;
/** A turn in which requests are answered takes a hundred times as long. */
const GATHER_MAX_MS = 50;

/**
 * Units that arrive together are committed together. About as many as last time tend to come, one
 * after the other as their requests are checked, so it waits for them: until a millisecond passes
 * without one, a few in all, and not long if the loop is busy. Pauses between the turns would leave
 * more of the processor to others, but each takes longer than a millisecond, and every payment
 * waits three times.
 */
export async function gather(
  queue: readonly unknown[],
  { expected, clock }: { expected: number; clock: Clock },
): Promise<void> {
  const untilMs = clock.nowMs() + GATHER_MAX_MS;
  await nextTurn();
  let quiet = 0;
  for (let turns = 0; turns < TURNS_MAX && quiet < QUIET_TURNS_MAX; turns++) {
    const before = queue.length;
    if (before >= expected || clock.nowMs() >= untilMs) return;
    await nextTurn();
    quiet = queue.length > before ? 0 : quiet + 1;
  }
}
