import {
  deleteExpiredSignatures,
  deleteExpiredSignIns,
  deleteOldCalls,
  deleteOldHours,
  deleteOldRequests,
  deleteOldRows,
  deleteSettledEvents,
} from "../store/upkeep/housekeeping.ts";
import { sleep } from "../base/clock.ts";
import type { Deps } from "../deps/deps.ts";

/** A clock that ran ahead and was corrected must not admit an exact copy of a request. */
const SIGNATURES_KEPT_MS = 24 * 3_600_000;

/** For attempts, and events that were delivered everywhere. */
const WEBHOOKS_KEPT_MS = 30 * 24 * 3_600_000;
const REQUESTS_KEPT_MS = 7 * 24 * 3_600_000;
/** Charts by the hour cover a day. */
const HOURS_KEPT_MS = 3 * 24 * 3_600_000;
/** More than a month, so that this one is whole. */
const CALLS_KEPT_MS = 40 * 24 * 3_600_000;
const ROWS_A_TICK_MAX = 5_000;
/** They are large. */
const REQUESTS_A_TICK_MAX = 500;
/** A statement blocks everything else in this program while it runs. */
const EVENTS_AT_ONCE = 250;
const EVENTS_PAUSE_MS = 25;

/** Deletes what is no longer needed. */
export async function prune({ db, clock, memory }: Deps): Promise<void> {
  await deleteExpiredSignatures(db, clock.nowMs() - SIGNATURES_KEPT_MS);
  const old = { beforeMs: clock.nowMs() - WEBHOOKS_KEPT_MS, limit: ROWS_A_TICK_MAX };
  await deleteOldRows(db, old);
  await pruneEvents({ db, memory }, old.beforeMs);
  await deleteOldHours(db, { beforeMs: clock.nowMs() - HOURS_KEPT_MS, limit: ROWS_A_TICK_MAX });
  await deleteOldRequests(db, {
    beforeMs: clock.nowMs() - REQUESTS_KEPT_MS,
    limit: REQUESTS_A_TICK_MAX,
  });
  await deleteOldCalls(db, clock.nowMs() - CALLS_KEPT_MS);
  await deleteExpiredSignIns(db, clock.nowMs());
}

/**
 * In portions, with room for requests in between: deleting an event also deletes its deliveries. Each
 * round goes on where the last one ended, because what nobody received stays, however much it is.
 */
async function pruneEvents(
  { db, memory }: Pick<Deps, "db" | "memory">,
  beforeMs: number,
): Promise<void> {
  for (let seen = 0; seen < ROWS_A_TICK_MAX; seen += EVENTS_AT_ONCE) {
    const from = { afterId: memory.eventsPrunedTo, limit: EVENTS_AT_ONCE };
    const seenTo = await deleteSettledEvents(db, { ...from, beforeMs });
    memory.eventsPrunedTo = seenTo ?? 0;
    if (seenTo === undefined) return;
    await sleep(EVENTS_PAUSE_MS);
  }
}
