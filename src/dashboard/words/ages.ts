const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** "2 min ago"; the script on the page words it the same way. */
export function ageText(ms: number): string {
  for (const [unit, unitMs] of UNITS) {
    if (ms >= unitMs) return `${Math.floor(ms / unitMs)} ${unit} ago`;
  }
  return "just now";
}
