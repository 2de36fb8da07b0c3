import { present } from "../../base/assert.ts";
import { instantMs } from "../time.ts";

/** A time span of a list or a statement, in UTC. */
export interface Period {
  /** As in "Statement for October 2026". */
  readonly name: string;
  /** Null: without a beginning. */
  readonly fromMs: number | null;
  /** The first moment that isn't in it; null: without an end. */
  readonly untilMs: number | null;
}

const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;

export const ALL_TIME: Period = { name: "all time", fromMs: null, untilMs: null };

/** "2026-10" or "2026"; undefined if it is neither. */
export function calendarPeriod(text: string): Period | undefined {
  const [, year, month] = /^([2-9]\d{3})(?:-(0[1-9]|1[0-2]))?$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const [at, first] = [Number(year), Number(month ?? "1") - 1];
  return {
    name: month === undefined ? year : `${MONTHS[first]} ${year}`,
    fromMs: Date.UTC(at, first),
    untilMs: month === undefined ? Date.UTC(at + 1, 0) : Date.UTC(at, first + 1),
  };
}

/** The month of this moment, or the one so many months before, as in "2026-10". */
export function monthOf(atMs: number, monthsBefore = 0): string {
  const at = new Date(atMs);
  const month = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - monthsBefore));
  return month.toISOString().slice(0, 7);
}

const DAY_MS = 86_400_000;

/** Links of lists: each stays what it says on every day. */
export const RECENT_PERIODS = [
  "today",
  "yesterday",
  "last-7-days",
  "this-month",
  "last-month",
] as const;

/** Whole days and months, in UTC. */
export function recentPeriod(name: typeof RECENT_PERIODS[number], nowMs: number): Period {
  const today = nowMs - nowMs % DAY_MS;
  const days = (from: number, until: number): Period => ({
    name: name.replaceAll("-", " "),
    fromMs: today + from * DAY_MS,
    untilMs: today + until * DAY_MS,
  });
  if (name === "today") return days(0, 1);
  if (name === "yesterday") return days(-1, 0);
  if (name === "last-7-days") return days(-6, 1);
  const month = calendarPeriod(monthOf(nowMs, name === "last-month" ? 1 : 0));
  return { ...present(month, "A month is a period"), name: name.replaceAll("-", " ") };
}

/**
 * From and until are dates or times. A date as the end includes that day, because that is what a
 * person means. Undefined if one is neither.
 */
export function periodBetween(
  { from, until }: { from: string; until: string },
): Period | undefined {
  const fromMs = from === "" ? null : instantMs(from);
  const untilMs = until === "" ? null : endOf(until);
  if (fromMs === undefined || untilMs === undefined) return undefined;
  const parts = [from !== "" && `from ${from}`, until !== "" && `until ${until}`].filter(Boolean);
  return { name: parts.join(" ") || ALL_TIME.name, fromMs, untilMs };
}

function endOf(until: string): number | undefined {
  const atMs = instantMs(until);
  const isDay = /^\d{4}-\d\d-\d\d$/.test(until);
  return atMs === undefined || !isDay ? atMs : atMs + DAY_MS;
}
