import { z } from "zod";
import { type Bytes, utf8 } from "../base/bytes.ts";
import { JsonNumber, plainAmount, plainAmountOfNumber } from "../domain/money/amount_text.ts";
import { type FieldFault, Refused } from "../domain/refusal.ts";
import { jsonFaultAt, jsonFields } from "./json_fields.ts";

/** The schema's fields of a JSON object; null counts as absent. */
export function parseBody<S extends z.ZodObject>(body: Bytes, schema: S): z.output<S> {
  const values = jsonFields(bodyText(body), Object.keys(schema.shape));
  if (!values) throw notAnObject(body);
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  throw new Refused("validation_failed", { fields: faultsOf(parsed.error) });
}

export function faultsOf({ issues }: z.ZodError): FieldFault[] {
  return issues.map(({ path: [field, ...inner], message }) => ({
    field: String(field),
    message: inner.length > 0 ? `${inner.join(".")}: ${message}` : message,
  }));
}

/** Lengths count Unicode code points. Text that the database couldn't store unchanged is refused. */
export function text(lengths: { min?: number; max: number }): z.ZodString {
  const { min = 0, max } = lengths;
  return z.string({ error: (issue) => issue.input === undefined ? "Required" : "Must be a string" })
    .refine((value) => value.isWellFormed() && !value.includes("\0"), "Must be plain Unicode text")
    .refine(
      (value) => hasLength(value, { min, max }),
      min > 0 ? `Must have ${min} to ${max} characters` : `Must have at most ${max} characters`,
    )
    .meta({ minLength: min, maxLength: max });
}

/** Code points have one or two units each, so most texts need no counting. */
function hasLength(value: string, { min, max }: { min: number; max: number }): boolean {
  if (value.length <= max && value.length >= 2 * min) return true;
  if (value.length > 2 * max) return false;
  const length = [...value].length;
  return length >= min && length <= max;
}

/** A string or a JSON number, as plain digits. */
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
}).meta({ type: ["string", "number"], examples: ["0.5"] });

const decoder = new TextDecoder("utf-8", { fatal: true });

export function bodyText(body: Bytes): string {
  try {
    return decoder.decode(body);
  } catch (error) {
    if (error instanceof TypeError) throw notAnObject(body);
    throw error;
  }
}

const lenientDecoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Says where the body stops being a JSON object in UTF-8. */
export function notAnObject(body: Bytes): Refused {
  const text = lenientDecoder.decode(body);
  const again = utf8(text);
  const noUtf8At = body.findIndex((byte, i) => byte !== again[i]);
  const before = noUtf8At < 0
    ? text.slice(0, jsonFaultAt(text))
    : lenientDecoder.decode(body.subarray(0, noUtf8At));
  const lines = before.split("\n");
  return new Refused("body_not_object", {
    details: {
      position: utf8(before).length,
      line: lines.length,
      column: [...lines.at(-1) ?? ""].length + 1,
    },
  });
}
