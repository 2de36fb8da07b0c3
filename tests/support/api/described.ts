import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { openApiDocument } from "../../../src/http/openapi/document.ts";

interface Answer {
  readonly method: string;
  readonly target: string;
  readonly status: number;
  readonly body: unknown;
}

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly content: { readonly "application/json": { schema: object } } }>
  >;
}

interface Path {
  readonly pattern: RegExp;
  readonly operations: Readonly<Record<string, Operation>>;
}

const FAILURE = { $ref: "#/components/schemas/Failure" };
/** What may be wrong with a request before anybody looks for its endpoint. */
const ANYWHERE = [400, 401, 403, 404, 405, 408, 413, 422, 429, 503];

const RFC_3339 = /^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;
const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: { "date-time": RFC_3339 },
});
const validators = new Map<object, ValidateFunction>();
let read: { paths: readonly Path[]; components: object } | undefined;

/** Every answer to a test is checked against the published document, and may say nothing more. */
export function assertDescribed({ method, target, status, body }: Answer): void {
  read ??= readDocument();
  const path = target.split("?")[0]!;
  const known = read.paths.find(({ pattern }) => pattern.test(path));
  const operation = known?.operations[method.toLowerCase()];
  const schema = operation?.responses[status]?.content["application/json"].schema ?? FAILURE;
  const what = `${method} ${path}: ${status}`;
  assert.ok(schema !== FAILURE || (!operation && ANYWHERE.includes(status)), `${what} is unknown`);
  const validate = validators.get(schema) ??
    ajv.compile({ ...schema, components: read.components });
  validators.set(schema, validate);
  assert.ok(validate(body), `${what}: ${ajv.errorsText(validate.errors)}`);
}

function readDocument() {
  const { paths, components } = JSON.parse(JSON.stringify(openApiDocument(), closed));
  const byPath = Object.entries<Path["operations"]>(paths);
  // As readers of the document do it: a path without parameters comes first.
  const fixed = byPath.filter(([path]) => !path.includes("{"));
  return {
    components,
    paths: [...fixed, ...byPath].map(([path, operations]) => ({
      operations,
      pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
    })),
  };
}

/** Objects have the fields that are described, and no others. */
function closed(_: string, value: unknown): unknown {
  const isObject = typeof value === "object" && value !== null && "properties" in value &&
    "type" in value && value.type === "object";
  return isObject ? { ...value, additionalProperties: false } : value;
}
