import { meant } from "../base/misspelt.ts";
import type { Kind } from "../domain/kinds.ts";
import { JsonNumber, plainAmountOfNumber } from "../domain/money/amount_text.ts";
import { type FieldFault, Refused } from "../domain/refusal.ts";
import { bodyText, notAnObject } from "../http/body_schema.ts";
import { strictFields } from "../http/json_fields.ts";
import { queryOf, type RequestState } from "../http/request_state.ts";
import {
  fieldOf,
  type Flag,
  type Flags,
  type Input,
  type Operation,
  type Positional,
} from "../operations/operation.ts";

/** Makes repeated requests differ; every operation ignores it. */
const IGNORED = "nonce";
/** Which page of a list. */
export const CURSOR = "cursor";
const NAME_CHARS_MAX = 64;
const UNKNOWN_MAX = 20;
/** They shorten a wait or skip a question, which takes a person. */
const FOR_PEOPLE: ReadonlySet<string> = new Set(["now", "yes"]);

/** A flag or a positional argument, as a program names it. */
export interface Field {
  readonly name: string;
  readonly flag?: readonly [name: string, flag: Flag<unknown>];
  readonly positional?: Positional;
}

/** In the order of a command line. */
export function fieldsOf({ positionals, flags }: Operation): Field[] {
  return [
    ...positionals.map((positional) => ({ name: positional.name.toLowerCase(), positional })),
    ...Object.entries(flags).filter(([name]) => !FOR_PEOPLE.has(name))
      .map((flag) => ({ name: fieldOf(flag[0]), flag })),
  ];
}

export interface Given {
  readonly input: Input<Flags>;
  readonly cursor: string | undefined;
}

type Values = Readonly<Record<string, unknown>>;

/** What a request says, if it says nothing else; otherwise a 422 that names every fault. */
export function inputOf(
  operation: Operation,
  { state, isRead, defaults }: {
    readonly state: Pick<RequestState, "target" | "body">;
    readonly isRead: boolean;
    /** For fields that may be left out. */
    readonly defaults: Values;
  },
): Given {
  const fields = fieldsOf(operation);
  const names = [...fields.map(({ name }) => name), ...operation.isPaged ? [CURSOR] : []];
  const query = queryFields(state, isRead ? names : []);
  const body = bodyFields(state, isRead ? [] : names);
  const { values } = isRead ? query : body;
  const faults = [...query.faults, ...body.faults];
  const all = { ...defaults, ...values };
  const read = (field: Field) => valueOf(field, all[field.name], faults);
  const positionals = fields.flatMap((field) => field.positional ? read(field) as string[] : []);
  const flags = Object.fromEntries(
    fields.flatMap((field) => field.flag ? [[field.flag[0], read(field)]] : []),
  );
  if (faults.length > 0) throw new Refused("validation_failed", { fields: faults });
  const cursor = typeof values[CURSOR] === "string" ? values[CURSOR] : undefined;
  return { input: { flags, positionals }, cursor };
}

function queryFields({ target }: Pick<RequestState, "target">, names: readonly string[]) {
  const values: Record<string, unknown> = {};
  const unknown = new Set<string>();
  const lists = new Map<string, string[]>();
  for (const [name, value] of queryOf(target)) {
    if (name === IGNORED) continue;
    if (!names.includes(name)) unknown.add(name);
    else lists.set(name, [...lists.get(name) ?? [], value]);
  }
  for (const [name, list] of lists) values[name] = list.length === 1 ? list[0] : list;
  return { values, faults: unknownFaults(unknown, { names, what: "parameter" }) };
}

/** An empty body has no fields. */
function bodyFields({ body }: Pick<RequestState, "body">, names: readonly string[]) {
  const read = body.length === 0
    ? { fields: {}, unknown: [] }
    : strictFields(bodyText(body), names);
  if (!read) throw notAnObject(body);
  return {
    values: read.fields,
    faults: unknownFaults(read.unknown, { names, what: "field" }),
  };
}

function unknownFaults(
  unknown: Iterable<string>,
  { names, what }: { names: readonly string[]; what: string },
): FieldFault[] {
  return [...unknown].slice(0, UNKNOWN_MAX).map((name) => ({
    field: name.slice(0, NAME_CHARS_MAX),
    message: `Unknown ${what}${name.length > NAME_CHARS_MAX ? "" : meant(name, names)}`,
  }));
}

class Wrong extends Error {}

/** Null counts as absent, as in `/v1`. */
function valueOf({ name, flag, positional }: Field, given: unknown, faults: FieldFault[]): unknown {
  const value = given ?? undefined;
  try {
    return flag ? flagValue(flag[1], value) : positionalValues(positional!, value);
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    faults.push({ field: name, message: error.message });
    return undefined;
  }
}

function positionalValues({ isRest }: Positional, value: unknown): string[] {
  if (value === undefined) {
    if (isRest) return [];
    throw new Wrong("Required");
  }
  const texts = Array.isArray(value) && isRest ? value : [value];
  return texts.map((one) => {
    if (typeof one === "string" && isPlain(one)) return one;
    if (one instanceof JsonNumber) return one.source;
    throw new Wrong(isRest ? "Must be a list of texts" : "Must be a text or a number");
  });
}

const POSITIONAL_CHARS_MAX = 500;

/** No database server takes all of it, and no id is longer. */
function isPlain(text: string): boolean {
  return text !== "" && text.length <= POSITIONAL_CHARS_MAX && text.isWellFormed() &&
    !text.includes("\0");
}

function flagValue({ kind, need, fallback }: Flag<unknown>, value: unknown): unknown {
  if (need === "repeated") {
    const list = value === undefined ? [] : Array.isArray(value) ? value : [value];
    return list.map((one) => readOne(kind, one));
  }
  if (value !== undefined) return readOne(kind, value);
  if (need === "required") throw new Wrong("Required");
  return fallback;
}

function readOne(kind: Kind<unknown>, value: unknown): unknown {
  if (kind.json === "boolean") return booleanOf(kind, value);
  // Its content, instead of where it is.
  if (kind.json === "file") return textOf(kind, value);
  const read = kind.read(textOf(kind, value));
  if (read === undefined) throw new Wrong(`Must be ${kind.is}`);
  return read;
}

/** A flag that is only there or not is false by being absent. */
function booleanOf(kind: Kind<unknown>, value: unknown): unknown {
  const isOn = value === true || value === "true";
  if (!isOn && value !== false && value !== "false") throw new Wrong("Must be true or false");
  return kind.word === "" && !isOn ? undefined : isOn;
}

function textOf({ json, is }: Kind<unknown>, value: unknown): string {
  if (typeof value === "string") return value;
  if (json === "number" && value instanceof JsonNumber) {
    return plainAmountOfNumber(value.source) ?? value.source;
  }
  if (json !== "list") throw new Wrong(json === "number" ? `Must be ${is}` : "Must be a string");
  const isList = Array.isArray(value) &&
    value.every((one) => typeof one === "string" && !one.includes(","));
  if (!isList) throw new Wrong("Must be a list of strings");
  return value.join(",");
}
