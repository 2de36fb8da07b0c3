import { EVENT_TYPES } from "../webhooks/rules/events.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { ENDPOINTS } from "../http/endpoints.ts";
import { type ErrorAnswer, refusalAnswer } from "../http/error_table.ts";
import { openApiDocument } from "../http/openapi/document.ts";
import { refusalsOf } from "../http/openapi/refusals.ts";
import type { Named, Schema } from "./json_schema.ts";

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Content {
  readonly content: { readonly "application/json": { schema: Schema; example?: unknown } };
}

interface Described {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: { readonly 200: Content };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly webhooks: Readonly<Record<string, { post: { summary: string; requestBody: Content } }>>;
  readonly components: { readonly schemas: Named };
}

/** An endpoint as its page shows it. */
export interface Operation {
  readonly endpoint: Endpoint;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  readonly answer: Schema;
  readonly answerExample: unknown;
  /** Those that only some endpoints have. */
  readonly ownRefusals: readonly ErrorAnswer[];
  readonly commonRefusals: readonly ErrorAnswer[];
  readonly named: Named;
}

export interface EventDescription {
  readonly type: string;
  readonly summary: string;
  readonly example: unknown;
  readonly schema: Schema;
  readonly named: Named;
}

export function operationsOf(): Operation[] {
  const document = readDocument();
  return ENDPOINTS.map((endpoint) => {
    const described = document.paths[endpoint.path]![endpoint.method.toLowerCase()]!;
    const { schema, example } = described.responses[200].content["application/json"];
    const own = new Set(endpoint.refusals.map((code) => refusalAnswer(code).message));
    const refusals = [...refusalsOf(endpoint).values()].flat();
    return {
      endpoint,
      parameters: described.parameters ?? [],
      body: described.requestBody?.content["application/json"].schema,
      answer: schema,
      answerExample: example,
      ownRefusals: refusals.filter(({ message }) => own.has(message)),
      commonRefusals: refusals.filter(({ message }) => !own.has(message)),
      named: document.components.schemas,
    };
  });
}

export function eventsOf(): EventDescription[] {
  const { webhooks, components } = readDocument();
  return EVENT_TYPES.map((type) => {
    const { summary, requestBody } = webhooks[type]!.post;
    const { schema, example } = requestBody.content["application/json"];
    return { type, summary, example, schema, named: components.schemas };
  });
}

/** As it is published, so that pages and document can't differ. */
function readDocument(): Document {
  return openApiDocument() as unknown as Document;
}
