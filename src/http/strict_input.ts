import { z } from "zod";
import type { Bytes } from "../base/bytes.ts";
import { meant } from "../base/misspelt.ts";
import { type FieldFault, Refused } from "../domain/refusal.ts";
import { bodyText, faultsOf, notAnObject } from "./body_schema.ts";
import { strictFields } from "./json_fields.ts";
import { queryOf, type RequestState } from "./request_state.ts";

/** Makes repeated requests differ; every endpoint ignores it. */
const IGNORED = "nonce";
const NAME_CHARS_MAX = 64;
const UNKNOWN_NAMES_MAX = 20;

export interface StrictInput<Q extends z.ZodObject, B extends z.ZodObject> {
  readonly query: z.output<Q>;
  readonly body: z.output<B>;
}

type Parsed<T> = { readonly data: T; readonly faults?: undefined } | {
  readonly faults: readonly FieldFault[];
};

/** What a request says, if it says nothing else; otherwise a 422 that names every fault. */
export function strictInput<Q extends z.ZodObject, B extends z.ZodObject>(
  { target, body: bytes }: Pick<RequestState, "target" | "body">,
  schemas: { readonly query: Q; readonly body: B },
): StrictInput<Q, B> {
  const query = parsedQuery(target, schemas.query);
  const body = parsedBody(bytes, schemas.body);
  if (query.faults || body.faults) {
    throw new Refused("validation_failed", {
      fields: [...query.faults ?? [], ...body.faults ?? []],
    });
  }
  return { query: query.data, body: body.data };
}

function parsedQuery<S extends z.ZodObject>(target: string, schema: S): Parsed<z.output<S>> {
  const names = Object.keys(schema.shape);
  const values: Record<string, string> = {};
  const unknown = new Set<string>();
  const repeated = new Set<string>();
  for (const [name, value] of queryOf(target)) {
    if (name === IGNORED) continue;
    if (!names.includes(name)) unknown.add(name);
    else if (name in values) repeated.add(name);
    else values[name] = value;
  }
  const again = [...repeated].map((field) => ({ field, message: "Must be given only once" }));
  return parsed(schema, values, [
    ...unknownFaults(unknown, { names, what: "parameter" }),
    ...again,
  ]);
}

/** An empty body has no fields. */
function parsedBody<S extends z.ZodObject>(bytes: Bytes, schema: S): Parsed<z.output<S>> {
  const names = Object.keys(schema.shape);
  const read = bytes.length === 0
    ? { fields: {}, unknown: [] }
    : strictFields(bodyText(bytes), names);
  if (!read) throw notAnObject(bytes);
  return parsed(schema, read.fields, unknownFaults(read.unknown, { names, what: "field" }));
}

function parsed<S extends z.ZodObject>(
  schema: S,
  values: object,
  faults: readonly FieldFault[],
): Parsed<z.output<S>> {
  const { success, data, error } = schema.safeParse(values);
  if (success && faults.length === 0) return { data };
  return { faults: [...faults, ...error ? faultsOf(error) : []] };
}

function unknownFaults(
  unknown: Iterable<string>,
  { names, what }: { names: readonly string[]; what: string },
): FieldFault[] {
  return [...unknown].slice(0, UNKNOWN_NAMES_MAX).map((name) => ({
    field: name.slice(0, NAME_CHARS_MAX),
    message: `Unknown ${what}${name.length > NAME_CHARS_MAX ? "" : meant(name, names)}`,
  }));
}
