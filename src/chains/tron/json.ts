/** Longer integers may not be what a double says they are. */
const LONG_INTEGER = /(?:^|[:,[\s])-?\d{16,}(?=[\s,\]}]|$)/;

/** As JSON.parse, but an integer that a double cannot hold is a bigint. */
export function parseExact(text: string): unknown {
  // Most answers have none, and a reviver takes ten times as long.
  return LONG_INTEGER.test(text) ? JSON.parse(text, reviveInteger) : JSON.parse(text);
}

/** No longer than any amount: making one of a million digits takes seconds. */
const INTEGER = /^-?\d{1,80}$/;

const reviveInteger = ((_key: string, value: unknown, { source }: { source?: string }) => {
  const isLost = typeof value === "number" && source !== undefined && INTEGER.test(source) &&
    !Number.isSafeInteger(value);
  return isLost ? BigInt(source) : value;
}) as (key: string, value: unknown) => unknown;
