import { isMessage, type Message, type Value } from "./values.ts";

/** Whole numbers of any size, because Java's long goes beyond 2^53. */
export function printJson(value: Value, options: { int64AsString?: boolean } = {}): string {
  if (typeof value === "bigint") return options.int64AsString ? `"${value}"` : String(value);
  if (typeof value !== "object") return JSON.stringify(value);
  if (!isMessage(value)) {
    return `[${value.map((each) => printJson(each, options)).join(",")}]`;
  }
  const fields = Object.entries(value).flatMap(([name, each]) =>
    each === undefined ? [] : [`${JSON.stringify(name)}:${printJson(each, options)}`]
  );
  return `{${fields.join(",")}}`;
}

class JsonFault extends Error {
  override name = "org.tron.json.JSONException";
}

/** Whole numbers come as bigint. */
export function parseJson(text: string): Message {
  let parsed: Message | null;
  try {
    parsed = JSON.parse(text, wholeAsBigint);
  } catch (error) {
    if (error instanceof SyntaxError) throw new JsonFault(error.message);
    throw error;
  }
  if (typeof parsed !== "object" || parsed === null) throw new JsonFault("not an object");
  return parsed;
}

/** The third argument has the source text. */
function wholeAsBigint(_key: string, value: unknown, context?: { source?: string }): unknown {
  const { source = "" } = context ?? {};
  return typeof value === "number" && /^-?\d+$/.test(source) ? BigInt(source) : value;
}
