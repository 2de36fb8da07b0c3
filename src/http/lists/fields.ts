import { z } from "zod";
import { anyAddress } from "../../chains/any_address.ts";
import { instantMs } from "../../domain/time.ts";

/** What the query of a list may say. Its values are texts. */

const LIMIT_DEFAULT = 50;
export const LIMIT_MAX = 200;

export const limit = z.string().optional().transform((value, context) => {
  if (value === undefined) return LIMIT_DEFAULT;
  const rows = Number(value);
  if (/^\d{1,15}$/.test(value) && rows >= 1 && rows <= LIMIT_MAX) return rows;
  return wrong(context, `Must be an integer from 1 to ${LIMIT_MAX}`);
}).meta({
  type: "integer",
  minimum: 1,
  maximum: LIMIT_MAX,
  description: `How many rows; ${LIMIT_DEFAULT} if it isn't given.`,
});

/** Every id is below the largest integer, so larger cursors mean the same. */
export const cursor = z.string().transform((value, context) => {
  if (!/^-?\d+$/.test(value)) return wrong(context, "Must be an integer");
  return Math.min(Math.max(Number(value), 0), Number.MAX_SAFE_INTEGER);
}).meta({ type: "integer", description: "The `next_cursor` of the previous page." }).optional();

export const from = time("Only rows from this time on.");
export const until = time("Only rows before this time.");

/** A plus sign that wasn't encoded arrives as a space, and cannot mean anything else here. */
function time(description: string) {
  return z.string().transform((value, context) =>
    instantMs(value.replace(/ (?=\d\d(:?\d\d)?$)/, "+")) ??
      wrong(context, "Must be an ISO 8601 time with an offset, or a date")
  ).meta({
    description: `${description} ISO 8601 with an offset; a date alone is its midnight in UTC.`,
    examples: ["2026-01-31", "2026-01-31T12:00:00+01:00"],
  }).optional();
}

export function oneOf<const T extends readonly string[]>(names: T) {
  return z.enum(names, `Must be one of ${names.join(", ")}`).optional();
}

export const address = z.string()
  .refine((value) => anyAddress(value) !== undefined, "Must be an address")
  .meta({ description: "Only this address, in any spelling." }).optional();

export const txHash = z.string()
  .refine((value) => /^(0x)?[0-9a-f]{64}$/i.test(value), "Must be a transaction's hash")
  .meta({ description: "Only this transaction, in any spelling of its hash." }).optional();

export const invoiceId = z.string().transform((value, context) =>
  /^\d{1,15}$/.test(value) ? Number(value) : wrong(context, "Must be an invoice's number")
).meta({ type: "integer", description: "Only those of this invoice." }).optional();

function wrong(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: "custom", message });
  return z.NEVER;
}
