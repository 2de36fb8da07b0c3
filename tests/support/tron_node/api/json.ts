import type { Message, Value } from "./proto.ts";

/** Whole numbers of any size: java's long does not end at 2^53. */
export function printJson(value: Value, options: { int64AsString?: boolean } = {}): string {
  if (typeof value === "bigint") return options.int64AsString ? `"${value}"` : String(value);
  if (Array.isArray(value)) {
    return `[${value.map((each) => printJson(each, options)).join(",")}]`;
  }
  if (typeof value !== "object") return JSON.stringify(value);
  return `{${
    Object.entries(value as Message)
      .filter(([, each]) => each !== undefined)
      .map(([name, each]) => `${JSON.stringify(name)}:${printJson(each!, options)}`)
      .join(",")
  }}`;
}

class JsonFault extends Error {
  override name = "org.tron.json.JSONException";
}

/** Whole numbers come as bigint. */
export function parseJson(text: string): Message {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text, wholeAsBigint as (key: string, value: unknown) => unknown);
  } catch (error) {
    if (error instanceof SyntaxError) throw new JsonFault(error.message);
    throw error;
  }
  if (typeof parsed !== "object" || parsed === null) throw new JsonFault("not an object");
  return parsed as Message;
}

function wholeAsBigint(_key: string, value: unknown, context: { source?: string }): unknown {
  const isWhole = typeof value === "number" && /^-?\d+$/.test(context.source ?? "");
  return isWhole ? BigInt(context.source!) : value;
}
