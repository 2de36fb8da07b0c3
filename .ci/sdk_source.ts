/** The parts of the SDK that follow from the API document: its types, and a method for each operation. */

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly required?: readonly string[];
  readonly description?: string;
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Content {
  readonly content: { readonly "application/json": { readonly schema: Schema } };
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const HEAD = "// Written by `deno task openapi` from the table of endpoints. Don't edit it.\n\n";
const INTERNAL = "Failure";

type Schemas = ApiDocument["components"]["schemas"];

/** A file of the SDK that declares types of responses. */
type Module = "events" | "invoices" | "types";

/** The SDK's written files. */
export function sdkSources(
  document: ApiDocument,
  references: References,
): Readonly<Record<string, string>> {
  const { schemas } = document.components;
  return {
    "src/sdk/types.ts": typesSource(schemas, "types"),
    "src/sdk/invoices.ts": typesSource(schemas, "invoices"),
    "src/sdk/events.ts": eventsSource(schemas),
    "src/sdk/requests.ts": requestsSource(document),
    "src/sdk/operations.ts": operationsSource(document, references),
  };
}

function moduleOf(name: string): Module {
  if (/Event$|^Event|^Webhook|^Redelivery$/.test(name)) return "events";
  return /^Invoice|Link$/.test(name) ? "invoices" : "types";
}

function declaredIn(schemas: Schemas, module: Module): [name: string, schema: Schema][] {
  return Object.entries(schemas)
    .filter(([name]) => name !== INTERNAL && moduleOf(name) === module);
}

function typesSource(schemas: Schemas, module: Module): string {
  const named = declaredIn(schemas, module).map(([name, schema]) => declared(name, schema));
  return withTypes(named.join("\n\n"), schemas, module);
}

function requestsSource({ paths, components }: ApiDocument): string {
  const requests = operationsOf(paths).flatMap(({ operation }) => [
    ...bodyOf(operation).map((schema) => declared(bodyName(operation), schema)),
    ...queryOf(operation).map((schema) => declared(queryName(operation), schema)),
  ]);
  return withTypes(requests.join("\n\n"), components.schemas);
}

/** With imports of the types that it names from other modules. */
function withTypes(text: string, schemas: Schemas, own?: Module): string {
  const used = Object.keys(schemas)
    .filter((name) => moduleOf(name) !== own)
    .filter((name) => new RegExp(`[:,(|] [^"]*\\b${name}\\b`).test(text));
  const imported = importsOf(used);
  return `${HEAD}${imported}${imported === "" ? "" : "\n"}${text}\n`;
}

function importsOf(names: readonly string[]): string {
  return Object.entries(Object.groupBy(names, moduleOf))
    .toSorted(([one], [other]) => one < other ? -1 : 1)
    .map(([module, used]) => `import type { ${used.join(", ")} } from "./${module}.ts";\n`)
    .join("");
}

function eventsSource(schemas: Schemas): string {
  const events = declaredIn(schemas, "events");
  const [shared] = events.flatMap(([, schema]) => isReported(schema) ? [sharedFields(schema)] : []);
  const named = events.map(([name, schema]) =>
    schema.anyOf || isReported(schema)
      ? `export type ${name} = ${eventOf(schema, shared)};`
      : declared(name, schema)
  );
  const text = [`interface Reported<Type, Data> ${shared}`, ...named].join("\n\n");
  return withTypes(text, schemas, "events");
}

/** Events that differ in nothing but what they report share all other fields. */
function eventOf(schema: Schema, shared: string | undefined): string {
  const { anyOf, properties = {}, required = [] } = schema;
  if (anyOf) {
    const [deliveries] = anyOf.flatMap((each) => each.properties?.deliveries ?? []);
    const union = anyOf.map((each) => eventOf(each, shared)).join(" | ");
    const more = { properties: { deliveries: deliveries ?? {} }, required: ["deliveries"] };
    return deliveries ? `(${union}) & ${fieldsOf(more)}` : union;
  }
  if (!isReported(schema)) return typeOf(schema);
  const { deliveries: _, ...others } = properties;
  const reported = { properties: others, required: required.filter((name) => name in others) };
  if (sharedFields(reported) !== shared) return typeOf(schema);
  const { type = {}, data = {} } = others;
  return `Reported<${typeOf(type)}, ${typeOf(data)}>`;
}

function isReported({ properties }: Schema): boolean {
  return properties?.type?.const !== undefined && properties.data !== undefined;
}

function sharedFields(schema: Schema): string {
  const parameters = { type: { $ref: "/Type" }, data: { $ref: "/Data" } };
  return fieldsOf({ ...schema, properties: { ...schema.properties, ...parameters } });
}

function isOfRequests(name: string): boolean {
  return /(Body|Query)$/.test(name);
}

function operationsSource({ paths }: ApiDocument, references: References): string {
  const operations = operationsOf(paths);
  const methods = operations.map((each) => methodOf(each, references));
  const types = [...new Set(methods.flatMap(({ types }) => types))].toSorted();
  const requests = types.filter(isOfRequests);
  const answers = types.filter((name) => !isOfRequests(name));
  return HEAD + `${importsOf(answers)}import type { ${requests.join(", ")} } from "./requests.ts";
import type { Rows } from "./rows.ts";

export interface Operation {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: object;
  readonly body?: object;
  readonly reference?: string;
}

/** A method for each operation of the API. */
export abstract class Operations {
  protected abstract call<T>(operation: Operation): Promise<T>;
  protected abstract rows<T>(operation: Operation): Rows<T>;

${methods.map(({ text }) => text).join("\n\n")}
}
`;
}

/** The field that makes an operation repeatable, by operationId. */
type References = Readonly<Record<string, string | undefined>>;

interface PlacedOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

function operationsOf(paths: ApiDocument["paths"]): PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation }))
  );
}

function methodOf({ path, method, operation }: PlacedOperation, references: References) {
  const { operationId, summary, description = "" } = operation;
  const answer = operation.responses["200"]!.content["application/json"].schema.properties!;
  const isList = "data_count" in answer;
  const data = isList ? answer.data!.items! : answer.data!;
  const inPath = (operation.parameters ?? []).filter((each) => each.in === "path");
  const [query] = queryOf(operation);
  const [body] = bodyOf(operation);
  const reference = references[operationId];
  const isQueryOptional = query && (query.required ?? []).length === 0;
  const parameters = [
    ...inPath.map(({ name, schema }) => `${name}: ${typeOf(schema)}`),
    ...(body ? [`body: ${bodyName(operation)}`] : []),
    ...(query ? [`query: ${queryName(operation)}${isQueryOptional ? " = {}" : ""}`] : []),
  ];
  const target = inPath.length > 0
    ? "`" + path.replace(/\{(\w+)\}/g, (_, name) => inTarget(name, inPath)) + "`"
    : JSON.stringify(path);
  const fields = [
    `method: "${method.toUpperCase()}"`,
    `path: ${target}`,
    ...(query ? ["query"] : []),
    ...(body ? ["body"] : []),
    ...(reference ? [`reference: "${reference}"`] : []),
  ];
  const [how, type] = isList
    ? ["rows", `Rows<${typeOf(data)}>`]
    : ["call", `Promise<${typeOf(data)}>`];
  const types = [
    ...typeOf(data).split(/\W+/).filter((name) => /^[A-Z]/.test(name)),
    ...(body ? [bodyName(operation)] : []),
    ...(query ? [queryName(operation)] : []),
  ];
  return {
    types,
    text: `/** ${summary}. ${description.replace(/\s*\n\s*/g, " ")} */
  ${operationId}(${parameters.join(", ")}): ${type} {
    return this.${how}({ ${fields.join(", ")} });
  }`,
  };
}

/** A text might have a slash. */
function inTarget(name: string, inPath: readonly Parameter[]): string {
  const isText = inPath.some((each) => each.name === name && each.schema.type === "string");
  return isText ? `\${encodeURIComponent(${name})}` : `\${${name}}`;
}

function bodyOf({ requestBody }: Operation): Schema[] {
  return requestBody ? [requestBody.content["application/json"].schema] : [];
}

/** The query's parameters as one object. */
function queryOf({ parameters = [] }: Operation): Schema[] {
  const inQuery = parameters.filter((each) => each.in === "query");
  if (inQuery.length === 0) return [];
  return [{
    type: "object",
    properties: Object.fromEntries(
      inQuery.map(({ name, schema, description }) => [
        name,
        description === undefined ? schema : { ...schema, description },
      ]),
    ),
    required: inQuery.filter(({ required }) => required).map(({ name }) => name),
  }];
}

function bodyName({ operationId }: Operation): string {
  return capital(`${operationId}Body`);
}

function queryName({ operationId }: Operation): string {
  return capital(`${operationId}Query`);
}

function declared(name: string, schema: Schema): string {
  const comment = schema.description ? `/** ${schema.description} */\n` : "";
  if (!schema.properties) return `${comment}export type ${name} = ${typeOf(schema)};`;
  return `${comment}export interface ${name} ${fieldsOf(schema)}`;
}

function fieldsOf({ properties = {}, required = [] }: Schema): string {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const comment = schema.description ? `/** ${schema.description} */\n` : "";
    return `${comment}readonly ${name}${required.includes(name) ? "" : "?"}: ${typeOf(schema)};`;
  });
  return `{\n${fields.join("\n")}\n}`;
}

function typeOf(schema: Schema): string {
  if (schema.$ref) return schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (typeof schema.type === "object") {
    return schema.type.map((type) => typeOf({ type })).join(" | ");
  }
  if (schema.type === "array") return `readonly (${typeOf(schema.items!)})[]`;
  if (schema.additionalProperties) {
    return `Readonly<Record<string, ${typeOf(schema.additionalProperties)}>>`;
  }
  if (schema.type === "object") return fieldsOf(schema);
  return schema.type === "integer" ? "number" : schema.type ?? "unknown";
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
