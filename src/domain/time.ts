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
