/** A double can't hold every integer this long. */
const LONG_INTEGER = /(?:^|[:,[\s])-?\d{16,}(?=[\s,\]}]|$)/;

/** Like JSON.parse, but integers that a double can't hold become bigints. */
export function parseExact(text: string): unknown {
  // Most answers have none, and a reviver takes ten times as long.
  return LONG_INTEGER.test(text) ? JSON.parse(text, reviveInteger) : JSON.parse(text);
}

/** No longer than any amount: parsing a million digits takes seconds. */
const INTEGER = /^-?\d{1,80}$/;

function reviveInteger(
  _key: string,
  value: unknown,
  { source }: { source?: string } = {},
): unknown {
  const isLost = typeof value === "number" && source !== undefined && INTEGER.test(source) &&
    !Number.isSafeInteger(value);
  return isLost ? BigInt(source) : value;
}
