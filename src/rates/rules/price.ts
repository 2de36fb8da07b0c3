import { exactText, fractionOf } from "./fraction.ts";
import { JsonNumber, plainAmount, plainAmountOfNumber } from "../../domain/money/amount_text.ts";
import { dated, type Reading } from "./reading.ts";

/** More than any market has; sums of two still fit an amount. */
const DIGITS_MAX = 60;

/** Plain digits above zero. */
export function isPrice(text: string): boolean {
  const plain = plainAmount(text);
  return plain !== undefined && /[1-9]/.test(plain) && plain.replace(".", "").length <= DIGITS_MAX;
}

/** JSON pointers (RFC 6901) of what counts in a document. */
export interface Pointers {
  readonly price: string;
  /** Of the price's own time, in seconds. If absent, it is as old as the request for it. */
  readonly seconds?: string;
}

/** A document's price, by its own digits. */
export function readingIn(
  document: string,
  { price, seconds }: Pointers,
  { askedAtMs, nowMs }: { askedAtMs: number; nowMs: number },
): Reading {
  const json = parsed(document);
  if (json === undefined) return { fault: "it doesn't answer JSON" };
  const plain = numberAt(json.value, price);
  if (plain === undefined || !isPrice(plain)) {
    return { fault: `${price} is not a price above zero` };
  }
  const value = exactText(fractionOf(plain));
  if (seconds === undefined) return { value, atMs: askedAtMs };
  const time = numberAt(json.value, seconds);
  if (time === undefined) return { fault: "it doesn't say when its price was" };
  // Whole seconds, for clocks that are ahead by a moment.
  return dated({ value, atMs: Math.floor(Number(time)) * 1000 }, nowMs);
}

/** In plain digits. */
function numberAt(json: unknown, pointer: string): string | undefined {
  const found = valueAt(json, pointer);
  if (found instanceof JsonNumber) return plainAmountOfNumber(found.source);
  return typeof found === "string" ? plainAmount(found) : undefined;
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
