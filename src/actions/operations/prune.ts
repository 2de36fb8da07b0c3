import {
  deleteExpiredSignatures,
  deleteExpiredSignIns,
  deleteOldAttempts,
  deleteOldHours,
  deleteSettledEvents,
} from "../../store/upkeep/housekeeping.ts";
import { sleep } from "../../base/clock.ts";
import type { Db } from "../../store/engine/db.ts";
import type { Deps } from "../deps.ts";

/** A clock that ran ahead and was set right must not let an exact copy of a request in again. */
const SIGNATURES_KEPT_MS = 24 * 3_600_000;

/** Attempts, and events that were delivered everywhere. */
const WEBHOOKS_KEPT_MS = 30 * 24 * 3_600_000;
/** The newest chart is of a day. */
const HOURS_KEPT_MS = 3 * 24 * 3_600_000;
const ROWS_A_TICK_MAX = 5_000;
/** A statement holds up everything else of this program for as long as it runs. */
const EVENTS_AT_ONCE = 250;
const EVENTS_PAUSE_MS = 25;

/** Drops what has outlived its use. */
export async function prune({ db, clock }: Deps): Promise<void> {
  await deleteExpiredSignatures(db, clock.nowMs() - SIGNATURES_KEPT_MS);
  const old = { beforeMs: clock.nowMs() - WEBHOOKS_KEPT_MS, limit: ROWS_A_TICK_MAX };
  await deleteOldAttempts(db, old);
  await pruneEvents(db, old.beforeMs);
  await deleteOldHours(db, { beforeMs: clock.nowMs() - HOURS_KEPT_MS, limit: ROWS_A_TICK_MAX });
  await deleteExpiredSignIns(db, clock.nowMs());
}

/** In pieces, with room for requests between them: an event takes its deliveries along. */
async function pruneEvents(db: Db, beforeMs: number): Promise<void> {
  let fromMs: number | undefined = 0;
  for (let gone = 0; gone < ROWS_A_TICK_MAX; gone += EVENTS_AT_ONCE) {
    fromMs = await deleteSettledEvents(db, { fromMs, beforeMs, limit: EVENTS_AT_ONCE });
    if (fromMs === undefined) return;
    await sleep(EVENTS_PAUSE_MS);
  }
}
