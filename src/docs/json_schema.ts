import { UNIT } from "../http/openapi/json_schema.ts";

/** What a reader needs to know of a JSON Schema in the document. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly [UNIT]?: string;
}

export type Named = Readonly<Record<string, Schema>>;

const COMPONENTS = "#/components/schemas/";

/** A type as people say it. */
interface Shape {
  readonly text: string;
  readonly values: readonly unknown[];
  /** What it refers to, without null. */
  readonly schema: Schema;
  /** Of an object, or of a list of objects. */
  readonly fields: Readonly<Record<string, Schema>> | undefined;
}

export function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.slice(COMPONENTS.length);
}

/** With the description beside the reference, if there is one. */
export function resolved(schema: Schema, named: Named): Schema {
  const { $ref: _, ...own } = schema;
  const name = nameOf(schema);
  return name === undefined ? schema : { ...named[name], ...own };
}

export function shapeOf(given: Schema, named: Named): Shape {
  const alternatives = given.anyOf ?? given.oneOf ?? [given];
  const types = alternatives.flatMap((one) => typesOf(resolved(one, named), named));
  const [only = given] = alternatives.filter(({ type }) => type !== "null");
  const schema = resolved(only, named);
  const item = schema.items && resolved(schema.items, named);
  const values = schema.enum ?? item?.enum ?? ("const" in schema ? [schema.const] : []);
  const text = [...new Set(types)].join(" or ");
  return { text, values, schema, fields: (item ?? schema).properties };
}

function typesOf({ type, items }: Schema, named: Named): string[] {
  const types = typeof type === "string" ? [type] : [...type ?? ["anything"]];
  return types.map((one) =>
    one === "array"
      ? `list of ${PLURALS[itemType(items && resolved(items, named))] ?? "values"}`
      : one
  );
}

function itemType(items: Schema | undefined): string {
  return items?.properties ? "object" : String(items?.type);
}

const PLURALS: Readonly<Record<string, string>> = {
  object: "objects",
  string: "strings",
  integer: "integers",
};

/** Lengths and bounds in words. */
export function limitsOf(schema: Schema): string[] {
  const { default: given } = schema;
  return [
    rangeOf(schema.minLength || undefined, schema.maxLength, "characters"),
    rangeOf(schema.minItems || undefined, schema.maxItems, "elements"),
    rangeOf(schema.minimum, schema.maximum, schema[UNIT] ?? ""),
    given === undefined ? undefined : `default ${String(given)}`,
  ].filter((text) => text !== undefined);
}

function rangeOf(
  min: number | undefined,
  max: number | undefined,
  unit: string,
): string | undefined {
  if (min === undefined && max === undefined) return undefined;
  const range = min === undefined
    ? `at most ${max}`
    : max === undefined
    ? `at least ${min}`
    : `${min} to ${max}`;
  return `${range} ${unit}`.trim();
}
