import { exactText, fractionOf } from "./fraction.ts";
import { JsonNumber, plainAmount, plainAmountOfNumber } from "../../domain/money/amount_text.ts";

/** More than any market has; sums of two still fit an amount. */
const DIGITS_MAX = 60;

/** Plain digits above zero. */
export function isPrice(text: string): boolean {
  const plain = plainAmount(text);
  return plain !== undefined && /[1-9]/.test(plain) && plain.replace(".", "").length <= DIGITS_MAX;
}

type Found = { readonly value: string } | { readonly fault: string };

/** The number that a JSON pointer (RFC 6901) finds in a document, by its own digits. */
export function priceIn(document: string, pointer: string): Found {
  const json = parsed(document);
  if (json === undefined) return { fault: "it doesn't answer JSON" };
  const found = valueAt(json.value, pointer);
  const plain = found instanceof JsonNumber
    ? plainAmountOfNumber(found.source)
    : typeof found === "string"
    ? plainAmount(found)
    : undefined;
  if (plain !== undefined && isPrice(plain)) return { value: exactText(fractionOf(plain)) };
  return { fault: `${pointer} is not a price above zero` };
}

/** The reviver sees the digits before they become a float. */
function parsed(text: string): { value: unknown } | undefined {
  try {
    const value = JSON.parse(
      text,
      (_, value, context?: { source?: string }) =>
        typeof value === "number" ? new JsonNumber(context?.source ?? "") : value,
    );
    return { value };
  } catch {
    // Not JSON, or nested so deeply that nobody should read it.
    return undefined;
  }
}

export function isPointer(text: string): boolean {
  return /^(\/([^~/]|~[01])*)*$/.test(text);
}

function valueAt(json: unknown, pointer: string): unknown {
  let at = json;
  for (const part of pointer.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(at)) at = /^(0|[1-9]\d{0,8})$/.test(name) ? at[Number(name)] : undefined;
    else if (isObject(at) && Object.hasOwn(at, name)) at = at[name];
    else return undefined;
  }
  return at;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !(value instanceof JsonNumber);
}
