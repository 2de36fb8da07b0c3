import { z } from "zod";

export type Json = Readonly<Record<string, unknown>>;

/** What a number counts, in the document. */
export const UNIT = "x-unit";

const HERE = '"#/$defs/';
const COMPONENTS = '"#/components/schemas/';

/** Schemas for one document: those with a name appear once, among its components. */
export class Schemas {
  readonly #named = new Map<string, Json>();

  /** Requests are described as they are sent, answers as they are received. */
  of(type: z.ZodType, { isRequest = false } = {}): Json {
    const { $schema: _, $defs, ...schema } = z.toJSONSchema(type, {
      target: "draft-2020-12",
      io: isRequest ? "input" : "output",
      unrepresentable: "any",
      override: ({ jsonSchema }) => void tidy(jsonSchema),
    });
    for (const [name, part] of Object.entries($defs ?? {})) this.#named.set(name, inDocument(part));
    return inDocument(schema);
  }

  get named(): Json {
    return Object.fromEntries([...this.#named].toSorted(([a], [b]) => a < b ? -1 : 1));
  }
}

/** Answers may get more fields; bounds that only come from JavaScript's numbers are left out. */
function tidy(schema: z.core.JSONSchema.BaseSchema): void {
  if (typeof schema.additionalProperties !== "object") delete schema.additionalProperties;
  delete schema.propertyNames;
  delete schema.id;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}

function inDocument(schema: object): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll(HERE, COMPONENTS));
}
