import { utf8 } from "../base/bytes.ts";
import {
  NOBODY,
  RequestCounts,
  RequestLog,
  type RequestLogDayRow,
  RequestLogDays,
  RequestLogHours,
} from "./table.ts";
import { dayOf } from "../domain/time.ts";
import { type Read, readAll, type View } from "../store/engine/workspace.ts";
import { Unavailable } from "../store/connection/faults.ts";
import type { Deps } from "../deps/deps.ts";
import { logRow } from "./_log_row.ts";
import type { Notes, Rejection } from "./request_notes.ts";

const ROW_BYTES = 150;
const AT_ONCE = { countsMax: 200, rejectionsMax: 64 };
/** Requests that wait for a write come first. */
const QUEUE_BUSY = 32;
/** Rows of a day: what an account may have, and all together. The second is for strangers' ones. */
const ACCOUNT_MAX = { kept: 1_000, unproven: 400 };
const EVERYBODY_MAX = { kept: 5_000, unproven: 2_500 };
/** Bytes of an hour, all together: rows differ in size, and a day's may come at once. */
const HOUR_BYTES_MAX = { kept: 4_000_000, unproven: 2_000_000 };
const HOUR_MS = 3_600_000;
/** An account's first rows have more room, or a few accounts could take it all. */
const FIRST = { rows: 20, everybodyMax: { kept: 10_000, unproven: 5_000 } };

/**
 * Writes what was noted since the last time, in one unit. Only the last second is lost in a crash.
 */
export async function keepRequests(deps: Deps): Promise<void> {
  const { db, memory: { requests } } = deps;
  if (db.queueDepth() > QUEUE_BUSY) return;
  const notes = requests.take(AT_ONCE);
  if (notes.counts.length + notes.rejections.length === 0) return;
  try {
    await db.write({ reads: readsFor(notes), decide: (view) => write(view, notes) });
  } catch (error) {
    requests.putBack(notes.counts);
    if (!(error instanceof Unavailable)) throw error;
    deps.log.warn("the request log is not written", { error: error.message });
  }
}

function readsFor({ counts, rejections }: Notes): Read[] {
  const days = rejections.flatMap(({ accountId, atMs }) =>
    [accountId, NOBODY].map((id) => [id, dayOf(atMs)])
  );
  const hours = rejections.map(({ atMs }) => [hourOf(atMs)]);
  return [
    ...readAll(RequestCounts, counts.map(keyOf)),
    ...readAll(RequestLogDays, days),
    ...readAll(RequestLogHours, hours),
  ];
}

function keyOf(
  { accountId, hourMs, keyId, route }: {
    accountId: number;
    hourMs: number;
    keyId: string;
    route: string;
  },
) {
  return [accountId, hourMs, keyId, route];
}

function write(view: View, { counts, rejections }: Notes): void {
  for (const row of counts) {
    const before = view.find(RequestCounts, keyOf(row));
    if (!before) view.insertKeyed(RequestCounts, { ...row });
    else {
      view.update(RequestCounts, before, {
        succeeded: before.succeeded + row.succeeded,
        rejected: before.rejected + row.rejected,
      });
    }
  }
  for (const rejection of rejections) {
    const row = logRow(rejection);
    if (takeRoom(view, rejection, bytesOf(row))) view.insert(RequestLog, row);
  }
}

/** Nobody fills the disk by sending what is rejected. The counts have those without room. */
function takeRoom(
  view: View,
  { accountId, atMs, isProven }: Rejection,
  bytes: number,
): boolean {
  const dayMs = dayOf(atMs);
  const own = dayRow(view, { accountId, dayMs });
  const all = dayRow(view, { accountId: NOBODY, dayMs });
  const allMax = own.kept < FIRST.rows ? FIRST.everybodyMax : EVERYBODY_MAX;
  if (isFull(own, { max: ACCOUNT_MAX, isProven }) || isFull(all, { max: allMax, isProven })) {
    return false;
  }
  if (!takeBytes(view, { hourMs: hourOf(atMs), bytes, isProven })) return false;
  for (const row of [own, all]) {
    const more = { kept: row.kept + 1, unproven: row.unproven + (isProven ? 0 : 1) };
    const known = view.find(RequestLogDays, [row.accountId, dayMs]);
    if (known) view.update(RequestLogDays, known, more);
    else view.insertKeyed(RequestLogDays, { ...row, ...more });
  }
  return true;
}

function takeBytes(
  view: View,
  { hourMs, bytes, isProven }: { hourMs: number; bytes: number; isProven: boolean },
): boolean {
  const known = view.find(RequestLogHours, [hourMs]);
  const before = known ?? { hourMs, kept: 0, unproven: 0 };
  const more = {
    kept: before.kept + bytes,
    unproven: before.unproven + (isProven ? 0 : bytes),
  };
  const { kept, unproven } = HOUR_BYTES_MAX;
  if (more.kept > kept || (!isProven && more.unproven > unproven)) return false;
  if (known) view.update(RequestLogHours, known, more);
  else view.insertKeyed(RequestLogHours, { ...before, ...more });
  return true;
}

/** With what it adds to the index. */
function bytesOf(row: ReturnType<typeof logRow>): number {
  return utf8(JSON.stringify(Object.values(row))).length + ROW_BYTES;
}

function hourOf(atMs: number): number {
  return atMs - atMs % HOUR_MS;
}

function dayRow(
  view: View,
  { accountId, dayMs }: { accountId: number; dayMs: number },
): RequestLogDayRow {
  return view.find(RequestLogDays, [accountId, dayMs]) ??
    { accountId, dayMs, kept: 0, unproven: 0 };
}

function isFull(
  { kept, unproven }: RequestLogDayRow,
  { max, isProven }: { max: typeof ACCOUNT_MAX; isProven: boolean },
): boolean {
  return kept >= max.kept || (!isProven && unproven >= max.unproven);
}
