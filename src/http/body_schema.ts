import { z } from "zod";
import type { Bytes } from "../base/bytes.ts";
import { JsonNumber, plainAmount, plainAmountOfNumber } from "../domain/amount_text.ts";
import { Refused } from "../domain/refusal.ts";

/** A JSON object with what is null left out, its numbers by their source text. */
export function parseBody<S extends z.ZodType>(body: Bytes, schema: S): z.output<S> {
  const parsed = schema.safeParse(jsonObject(body));
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map(({ path, message }) => ({
    field: path.join("."),
    message,
  }));
  throw new Refused("validation_failed", { fields });
}

/** Lengths count Unicode code points. What a text column could not hold as written is refused. */
export function text(lengths: { min?: number; max: number }): z.ZodString {
  const { min = 0, max } = lengths;
  return z.string({ error: (issue) => issue.input === undefined ? "Required" : "Must be a string" })
    .refine((value) => value.isWellFormed() && !value.includes("\0"), "Must be plain Unicode text")
    .refine(
      (value) => hasLength(value, { min, max }),
      min > 0 ? `Must have ${min} to ${max} characters` : `Must have at most ${max} characters`,
    );
}

/** Of one or two units each, so that most texts need no counting. */
function hasLength(value: string, { min, max }: { min: number; max: number }): boolean {
  if (value.length <= max && value.length >= 2 * min) return true;
  const length = [...value].length;
  return length >= min && length <= max;
}

/** As plain digits, whether it came as a string or as a JSON number. */
export const amount = z.unknown().transform((value, context) => {
  const plain = typeof value === "string"
    ? plainAmount(value)
    : value instanceof JsonNumber
    ? plainAmountOfNumber(value.source)
    : undefined;
  if (plain !== undefined) return plain;
  const message = value === undefined ? "Required" : "Must be a decimal of at most 78 digits";
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

function jsonObject(body: Bytes): Record<string, unknown> {
  const text = bodyText(body);
  const value = parseObject(text);
  const present = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(
    present.map((
      [name, field],
    ) => [name, typeof field === "number" ? numberOf(text, name) : field]),
  );
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function bodyText(body: Bytes): string {
  try {
    return decoder.decode(body);
  } catch (error) {
    if (error instanceof TypeError) throw new Refused("body_not_object");
    throw error;
  }
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Refused("body_not_object");
}

/** By its source text; where the body is too deep to be walked there is none, and the field is refused. */
function numberOf(text: string, name: string): JsonNumber {
  try {
    return (parseJson(text, bySource) as Record<string, JsonNumber>)[name]!;
  } catch (error) {
    if (error instanceof RangeError) return new JsonNumber("");
    throw error;
  }
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

/** The language gives the reviver each number's source text; the library types do not say so yet. */
const parseJson = JSON.parse as (text: string, reviver: Reviver) => unknown;

function bySource(_key: string, value: unknown, context: { source?: string }): unknown {
  return typeof value === "number" ? new JsonNumber(context.source ?? "") : value;
}
