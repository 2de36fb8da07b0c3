const TWO_DIGITS = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, "0"));

/** 2026-01-31T12:00:00+00:00 (spec 1): whole seconds, numeric offset. */
export function isoUtc(ms: number): string {
  const at = new Date(ms);
  if (Number.isNaN(at.getTime())) throw new RangeError(`${ms} is no time`);
  const date = `${at.getUTCFullYear()}-${two(at.getUTCMonth() + 1)}-${two(at.getUTCDate())}`;
  const time = `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())}`;
  return `${date}T${time}+00:00`;
}

function two(n: number): string {
  return TWO_DIGITS[n]!;
}

export function isoUtcOrNull(ms: number | null): string | null {
  return ms === null ? null : isoUtc(ms);
}

const DAY_MS = 86_400_000;
/** When its day of UTC begins. */
export function dayOf(ms: number): number {
  return ms - ms % DAY_MS;
}

/** When that day ends. */
export function dayEndOf(ms: number): number {
  return dayOf(ms) + DAY_MS;
}

const UNITS = [["d", DAY_MS], ["h", 3_600_000], ["m", 60_000], ["s", 1_000]] as const;

/** As `kind.duration` reads it: 1h, 90m rather than 1.5h, and 24h rather than 1d. */
export function durationText(ms: number): string {
  const units = ms === DAY_MS ? UNITS.slice(1) : UNITS;
  const [unit, unitMs] = units.find(([, unitMs]) => ms >= unitMs && ms % unitMs === 0) ??
    ["s", 1_000];
  return `${Math.ceil(ms / unitMs)}${unit}`;
}

/** NaN for anything but 30s, 15m, 24h, 7d and the like. */
export function durationMs(text: string): number {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  return Number(count) * (UNITS.find(([name]) => name === unit)?.[1] ?? NaN);
}

const INSTANT =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:([Zz])|([+-])(\d\d)(?::?(\d\d))?))?$/;

/**
 * The milliseconds of an ISO 8601 time with an offset, or of a bare date's midnight in UTC, rounded
 * up: whether a whole millisecond comes before it doesn't change. Undefined if it is neither.
 */
export function instantMs(text: string): number | undefined {
  const [
    ,
    year,
    month,
    day,
    hour = "0",
    minute = "0",
    second = "0",
    fraction = "",
    ,
    sign,
    ...offset
  ] = INSTANT.exec(text) ?? [];
  if (year === undefined) return undefined;
  const [offsetHour = 0, offsetMinute = 0] = offset.map((part) => Number(part ?? 0));
  const at = new Date(0);
  at.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const isDate = at.getUTCMonth() === Number(month) - 1 && at.getUTCDate() === Number(day);
  const [hours, minutes, seconds] = [Number(hour), Number(minute), Number(second)];
  const isTime = hours < 24 && minutes < 60 && seconds < 60 && offsetHour < 24 && offsetMinute < 60;
  if (!isDate || !isTime) return undefined;
  const offsetMinutes = (offsetHour * 60 + offsetMinute) * (sign === "-" ? -1 : 1);
  const fractionMs = Math.ceil(Number(fraction.padEnd(9, "0")) / 1e6);
  return at.getTime() + ((hours * 60 + minutes - offsetMinutes) * 60 + seconds) * 1000 + fractionMs;
}
