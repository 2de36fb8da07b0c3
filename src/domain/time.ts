/** 2026-01-31T12:00:00+00:00 (spec 1): whole seconds, numeric offset. */
export function isoUtc(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}+00:00`;
}

export function isoUtcOrNull(ms: number | null): string | null {
  return ms === null ? null : isoUtc(ms);
}
