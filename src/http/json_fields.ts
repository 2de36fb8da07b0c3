import { faultAt, NESTED, scannedFields } from "./_json_scan.ts";

/** Parsing this much costs little, whatever it nests or repeats. */
const PARSED_CHARS_MAX = 1_024;

/**
 * The named non-null fields of a JSON object, numbers as source text; the last of repeated names
 * counts. Undefined if the text is no JSON object.
 */
export function jsonFields(
  text: string,
  names: readonly string[],
): Record<string, unknown> | undefined {
  const isShort = text.length <= PARSED_CHARS_MAX;
  return (isShort ? parsedFields(text, names) : undefined) ?? scannedFields(text, names);
}

const MARK = "\ufeff";

/** The place of the first character that doesn't belong to a JSON object, for a text that is none. */
export function jsonFaultAt(text: string): number {
  // Who reads the fields doesn't see the mark.
  const skipped = text.startsWith(MARK) ? MARK.length : 0;
  return skipped + (faultAt(text.slice(skipped)) ?? 0);
}

/** The same, with lists and objects, and the names of other fields. */
export function strictFields(
  text: string,
  names: readonly string[],
): { fields: Record<string, unknown>; unknown: string[] } | undefined {
  const strict = { unknown: new Set<string>(), parts: [] };
  const fields = scannedFields(text, names, strict);
  return fields && { fields, unknown: [...strict.unknown] };
}

/** Also undefined if a field is a number, whose source text `JSON.parse` doesn't keep. */
function parsedFields(
  text: string,
  names: readonly string[],
): Record<string, unknown> | undefined {
  const whole = parsed(text);
  if (typeof whole !== "object" || whole === null || Array.isArray(whole)) return undefined;
  const fields: Record<string, unknown> = {};
  for (const name of names) {
    const value = Object.hasOwn(whole, name) ? whole[name] : null;
    if (typeof value === "number") return undefined;
    if (value !== null) fields[name] = typeof value === "object" ? NESTED : value;
  }
  return fields;
}

type Json = Record<string, unknown> | unknown[] | string | number | boolean | null;

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
