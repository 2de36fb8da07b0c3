const CHARS_MAX = 80;

/** A text as it is, anything else quoted: an object from outside may say that its `toString` is 1. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : shown(value);
}

/** A short, safe quote of a node's answer for error messages. */
export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, CHARS_MAX));
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `a list of ${value.length}`;
  if (typeof value !== "object" || value === null) return String(value).slice(0, CHARS_MAX);
  const names = Object.keys(value).slice(0, 5).map((name) => name.slice(0, 20));
  return `{${names.join(", ")}}`.slice(0, CHARS_MAX);
}
