const DAY_MS = 86_400_000;
const TWO_DIGITS = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, "0"));

/** Most times in a list are of the same day, so its text is reused. */
let last = { day: 0, date: "1970-01-01" };

/** 2026-01-31T12:00:00+00:00 (spec 1): whole seconds, numeric offset. */
export function isoUtc(ms: number): string {
  const day = Math.floor(ms / DAY_MS);
  if (day !== last.day) {
    last = { day, date: new Date(day * DAY_MS).toISOString().slice(0, 10) };
  }
  const second = Math.floor((ms - day * DAY_MS) / 1_000);
  const minute = Math.floor(second / 60);
  const time = `${two(Math.floor(minute / 60))}:${two(minute % 60)}:${two(second % 60)}`;
  return `${last.date}T${time}+00:00`;
}

function two(n: number): string {
  return TWO_DIGITS[n]!;
}

export function isoUtcOrNull(ms: number | null): string | null {
  return ms === null ? null : isoUtc(ms);
}
