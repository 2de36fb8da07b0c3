import { type Endpoint, permissionsOf } from "../endpoint.ts";
import { ENDPOINTS } from "../endpoints.ts";
import { exampleEvent } from "./event_examples.ts";
import { ENVELOPES, EVENTS } from "./events.ts";
import { type Json, Schemas } from "./json_schema.ts";
import { refusalsOf } from "./refusals.ts";
import { EVENT_TYPES, type EventType } from "../../webhooks/rules/events.ts";
import { z } from "zod";

const FieldFault = z.object({ field: z.string(), message: z.string() });

/** The body of every answer that isn't a success (contract 2). */
const Failure = z.object({
  success: z.literal(false),
  message: z.string(),
  error: z.object({
    code: z.string(),
    request_id: z.string().meta({ description: "The same as the header X-Request-Id." }),
    fields: z.array(FieldFault).optional().meta({
      description: "With a 422: which fields are wrong, and why.",
    }),
    details: z.record(z.string(), z.union([z.string(), z.int()])).optional().meta({
      description:
        "The numbers behind the refusal, as the table of errors describes them for each code.",
      examples: [{
        ...{ amount: "20", fee: "1.1", total: "21.1", available: "15" },
        ...{ network: "ETH", currency: "USDT" },
      }],
    }),
  }),
  data: z.unknown().optional().meta({ description: "With a 502: the withdrawal that failed." }),
}).meta({ id: "Failure" });

const DESCRIPTION = `Deposit addresses, deposits, withdrawals and balances of one account.

Amounts are decimal strings, times are ISO 8601 in UTC, and network and currency codes are not case-sensitive.
Sign each request with the three headers of the security schemes. Any query may have a \`nonce\`, which keeps repeated requests apart and is otherwise ignored.`;

const STRICT =
  "Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them.";

const CSV =
  "The whole list with `Accept: text/csv`: the same filters, but neither `cursor` nor `limit`. RFC 4180, with the names of the fields in its first line; null is empty, and text that looks like a formula begins with an apostrophe. If anything fails, the connection is cut off. One at a time for each key.";

const SECURITY: Readonly<Record<string, Json>> = {
  key: header("X-CPG-Key", "The key's id."),
  timestamp: header(
    "X-CPG-Timestamp",
    "Unix time in seconds, at most 300 seconds off the server's clock.",
  ),
  signature: header(
    "X-CPG-Signature",
    "Lower-case hex HMAC-SHA256, keyed with the key's secret, of five lines joined by \\n: timestamp, method, path, query string without its question mark, and the hex SHA-256 of the body.",
  ),
};

/** The OpenAPI 3.1 document: everything that the table of endpoints says. */
export function openApiDocument(): Json {
  const schemas = new Schemas();
  const paths = pathsOf(schemas);
  const webhooks = Object.fromEntries(EVENT_TYPES.map((type) => [type, webhookOf(type, schemas)]));
  return {
    openapi: "3.1.0",
    info: {
      title: "CPG",
      summary: "A self-hosted crypto payment gateway",
      description: DESCRIPTION,
      version: "1",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    security: [{ key: [], timestamp: [], signature: [] }],
    tags: [...new Set(ENDPOINTS.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    webhooks,
    components: {
      securitySchemes: SECURITY,
      headers: {
        RequestId: REQUEST_ID,
        RateLimit: RATE_LIMIT,
        RetryAfter: RETRY_AFTER,
        Replay: REPLAY,
      },
      schemas: schemas.named,
    },
  };
}

/** As it is committed in docs/. */
export function openApiText(): string {
  return `${JSON.stringify(openApiDocument(), null, 2)}\n`;
}

const REQUEST_ID = answerHeader("Identifies the request in logs and for support.");
const RATE_LIMIT = answerHeader('What is left of the rate limit: `"default";r=599;t=1`.');
const RETRY_AFTER = answerHeader("Seconds to wait before the next attempt.");
const REPLAY = {
  description:
    "Present if an earlier request had the same reference, whose result this is. Says whether both asked for the same thing.",
  schema: { type: "string", enum: ["same", "different"] },
};

function header(name: string, description: string): Json {
  return { type: "apiKey", in: "header", name, description };
}

function answerHeader(description: string): Json {
  return { description, schema: { type: "string" } };
}

function pathsOf(schemas: Schemas): Json {
  const byPath = Map.groupBy(ENDPOINTS, ({ path }) => path);
  return Object.fromEntries([...byPath].map(([path, endpoints]) => [
    path,
    Object.fromEntries(
      endpoints.map((endpoint) => [endpoint.method.toLowerCase(), operationOf(endpoint, schemas)]),
    ),
  ]));
}

function operationOf(endpoint: Endpoint, schemas: Schemas): Json {
  const { operationId, tag, summary, description, body, example, isStrict } = endpoint;
  const permissions = permissionsOf(endpoint).map((one) => `\`${one}\``).join(", ");
  const parameters = parametersOf(endpoint, schemas);
  const requestBody = body && {
    required: true,
    content: jsonContent(schemas.of(body, { isRequest: true }), example.body),
  };
  return {
    operationId,
    tags: [tag],
    summary,
    description: [description, ...isStrict ? [STRICT] : [], `Permission: ${permissions}`]
      .join("\n\n"),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(requestBody ? { requestBody } : {}),
    responses: responsesOf(endpoint, schemas),
  };
}

function parametersOf({ path, query, example }: Endpoint, schemas: Schemas): Json[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: typeof example.path?.[name!] === "string"
      ? { type: "string" }
      : { type: "integer", minimum: 1 },
    example: example.path?.[name!],
  }));
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, type]) => {
    const { description, ...schema } = schemas.of(type, { isRequest: true });
    const given = example.query?.[name];
    return {
      name,
      in: "query",
      required: !type.safeParse(undefined).success,
      ...(description ? { description } : {}),
      schema,
      ...(given === undefined ? {} : { example: given }),
    };
  });
  return [...inPath, ...inQuery];
}

function responsesOf(endpoint: Endpoint, schemas: Schemas): Json {
  const headers = {
    "X-Request-Id": { $ref: "#/components/headers/RequestId" },
    RateLimit: { $ref: "#/components/headers/RateLimit" },
    ...(endpoint.reference ? { "X-CPG-Replay": { $ref: "#/components/headers/Replay" } } : {}),
  };
  const content = {
    ...jsonContent(schemas.of(answerTo(endpoint)), exampleOf(endpoint)),
    ...endpoint.hasCsv ? { "text/csv": { schema: { type: "string", description: CSV } } } : {},
  };
  const failures = [...refusalsOf(endpoint)].map(([status, answers]) => [status, {
    description: answers.map(({ code, message }) => `- \`${code}\`: ${message}`).join("\n"),
    headers: {
      "X-Request-Id": { $ref: "#/components/headers/RequestId" },
      ...(status === 429 || status === 503
        ? { "Retry-After": { $ref: "#/components/headers/RetryAfter" } }
        : {}),
    },
    content: jsonContent(schemas.of(Failure)),
  }]);
  return { 200: { description: "Done", headers, content }, ...Object.fromEntries(failures) };
}

function webhookOf(type: EventType, schemas: Schemas): Json {
  return {
    post: {
      operationId: type.replace(/[._](\w)/g, (_, letter) => letter.toUpperCase()),
      tags: ["Webhooks"],
      summary: EVENTS[type].summary,
      security: [],
      requestBody: {
        required: true,
        content: jsonContent(schemas.of(ENVELOPES[type]), exampleEvent(type)),
      },
      responses: { "2XX": { description: "Received. Anything else is retried." } },
    },
  };
}

function jsonContent(schema: Json, example?: unknown): Json {
  return { "application/json": { schema, ...(example === undefined ? {} : { example }) } };
}

/** The whole body of a success. */
export function answerTo({ data, list, message = "OK" }: Endpoint): z.ZodType {
  const success = { success: z.literal(true), message: z.literal(message) };
  if (!list) return z.object({ ...success, data });
  const rows = z.object({ ...success, data: z.array(data), data_count: z.int().min(0) });
  if (list === "whole") return rows;
  return rows.extend({
    next_cursor: (list === "opaque pages" ? z.string() : z.int()).nullable().meta({
      description: "The `cursor` of the next page; null if there is none.",
    }),
    has_more: z.boolean(),
  });
}

export function exampleOf({ list, message = "OK", example: { data } }: Endpoint): object {
  const success = { success: true, message };
  if (!list) return { ...success, data };
  const rows = { ...success, data: [data], data_count: 1 };
  return list === "whole" ? rows : { ...rows, next_cursor: null, has_more: false };
}
