import {
  deleteExpiredSignatures,
  deleteExpiredSignIns,
  deleteOldHours,
  deleteOldRequests,
  deleteOldRows,
  deleteSettledEvents,
} from "../../store/upkeep/housekeeping.ts";
import { sleep } from "../../base/clock.ts";
import type { Db } from "../../store/engine/db.ts";
import type { Deps } from "../deps.ts";

/** A clock that ran ahead and was corrected must not admit an exact copy of a request. */
const SIGNATURES_KEPT_MS = 24 * 3_600_000;

/** For attempts, and events that were delivered everywhere. */
const WEBHOOKS_KEPT_MS = 30 * 24 * 3_600_000;
const REQUESTS_KEPT_MS = 7 * 24 * 3_600_000;
/** Charts by the hour cover a day. */
const HOURS_KEPT_MS = 3 * 24 * 3_600_000;
const ROWS_A_TICK_MAX = 5_000;
/** They are large. */
const REQUESTS_A_TICK_MAX = 500;
/** A statement blocks everything else in this program while it runs. */
const EVENTS_AT_ONCE = 250;
const EVENTS_PAUSE_MS = 25;

/** Deletes what is no longer needed. */
export async function prune({ db, clock }: Deps): Promise<void> {
  await deleteExpiredSignatures(db, clock.nowMs() - SIGNATURES_KEPT_MS);
  const old = { beforeMs: clock.nowMs() - WEBHOOKS_KEPT_MS, limit: ROWS_A_TICK_MAX };
  await deleteOldRows(db, old);
  await pruneEvents(db, old.beforeMs);
  await deleteOldHours(db, { beforeMs: clock.nowMs() - HOURS_KEPT_MS, limit: ROWS_A_TICK_MAX });
  await deleteOldRequests(db, {
    beforeMs: clock.nowMs() - REQUESTS_KEPT_MS,
    limit: REQUESTS_A_TICK_MAX,
  });
  await deleteExpiredSignIns(db, clock.nowMs());
}

/** In portions, with room for requests in between: deleting an event also deletes its deliveries. */
async function pruneEvents(db: Db, beforeMs: number): Promise<void> {
  let fromMs: number | undefined = 0;
  for (let gone = 0; gone < ROWS_A_TICK_MAX; gone += EVENTS_AT_ONCE) {
    fromMs = await deleteSettledEvents(db, { fromMs, beforeMs, limit: EVENTS_AT_ONCE });
    if (fromMs === undefined) return;
    await sleep(EVENTS_PAUSE_MS);
  }
}
