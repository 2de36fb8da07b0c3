import { Hono } from "hono";
import { parseCommand } from "../cli/parse.ts";
import { allCommands } from "../cli/command_table.ts";
import type { Kind } from "../domain/kinds.ts";
import type { HttpEnv } from "../http/request_state.ts";
import { staticAnswer } from "../http/static_answer.ts";
import { nameOf, type Operation } from "../operations/operation.ts";
import { CURSOR, type Field, fieldsOf } from "./input.ts";
import { methodOf, operations, pathOf } from "./table.ts";

type Json = Readonly<Record<string, unknown>>;

const PATH = "/admin/openapi.json";
const DESCRIPTION =
  `Whatever can be typed can be called: each command of the gateway that needs neither the machine nor a person.

Requests are signed as those of /v1, with a key that has a role. Amounts are decimal strings or numbers, times are ISO 8601 in UTC. Unknown fields are refused with a 422 that suggests the right name. Unless a POST has an Idempotency-Key, an exact copy of it is refused.`;

const REFUSALS: readonly (readonly [status: number, description: string])[] = [
  [400, "Refused, with the message that the command prints"],
  [401, "The signature is missing, wrong, too old or used already"],
  [403, "The key has no role, its role may not do this, or its account is suspended"],
  [404, "There is no such record, or the key's account has none"],
  [409, "It is there already, or the idempotency key was used for something else"],
  [422, "A field is wrong, missing or unknown; `fields` says which"],
  [429, "Too many requests; `Retry-After` says when to go on"],
  [502, "A node gave no answer"],
  [503, "The database gives no answer for the moment"],
];

/** The document of the management API, without a signature. */
export function manageOpenApi(): Hono<HttpEnv> {
  let answer: Promise<ReturnType<typeof staticAnswer>> | undefined;
  return new Hono<HttpEnv>().get(PATH, async ({ req, env: { state } }) => {
    state.route = PATH;
    answer ??= openApiText().then((text) =>
      staticAnswer(text, { headers: { "content-type": "application/json" } })
    );
    const response = (await answer)(req.raw);
    response.headers.set("x-request-id", state.requestId);
    return response;
  });
}

async function openApiText(): Promise<string> {
  return `${JSON.stringify(await manageDocument(), null, 2)}\n`;
}

async function manageDocument(): Promise<Json> {
  const all = [...(await operations()).values()];
  const commands = await allCommands();
  const paths = all.map((one) => [pathOf(one), {
    [methodOf(one).toLowerCase()]: operationOf(one, exampleOf(one, commands)),
  }]);
  return {
    openapi: "3.1.0",
    info: { title: "CPG management", description: DESCRIPTION, version: "1" },
    servers: [{ url: "/" }],
    security: [{ key: [], timestamp: [], signature: [] }],
    tags: [...new Set(all.map(({ words }) => words[0]))].map((name) => ({ name })),
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: {
        key: { type: "apiKey", in: "header", name: "X-CPG-Key" },
        timestamp: { type: "apiKey", in: "header", name: "X-CPG-Timestamp" },
        signature: { type: "apiKey", in: "header", name: "X-CPG-Signature" },
      },
      schemas: { Failure: FAILURE },
    },
  };
}

const FAILURE: Json = {
  type: "object",
  required: ["success", "message", "error"],
  properties: {
    success: { const: false },
    message: { type: "string" },
    error: {
      type: "object",
      required: ["code", "request_id"],
      properties: {
        code: { type: "string" },
        request_id: { type: "string" },
        fields: {
          type: "array",
          items: {
            type: "object",
            properties: { field: { type: "string" }, message: { type: "string" } },
          },
        },
      },
    },
  },
};

type Example = Readonly<Record<string, unknown>>;

function operationOf(operation: Operation, example: Example): Json {
  const { words, summary, reads, changes } = operation;
  const isRead = methodOf(operation) === "GET";
  const fields = fieldsOf(operation);
  const isList = operation.columns !== undefined || words.at(-1) === "list";
  const refusals = REFUSALS.map(([status, description]) => [status, {
    description,
    content: { "application/json": { schema: { $ref: "#/components/schemas/Failure" } } },
  }]);
  return {
    operationId: words.join("_").replaceAll("-", "_"),
    tags: [words[0]],
    summary,
    description: `The command \`${nameOf(operation)}\`. Ability: \`${reads ?? changes}\`.`,
    ...isRead
      ? { parameters: parametersOf(fields, { example, isPaged: operation.isPaged === true }) }
      : { parameters: [IDEMPOTENCY_KEY], requestBody: bodyOf(fields, example) },
    responses: { 200: successOf(isList), ...Object.fromEntries(refusals) },
  };
}

const IDEMPOTENCY_KEY: Json = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "For 24 hours, the same key and body get the first answer again, with `X-CPG-Replay: same`.",
  schema: { type: "string", minLength: 1, maxLength: 128 },
};

function parametersOf(
  fields: readonly Field[],
  { example, isPaged }: { example: Example; isPaged: boolean },
): Json[] {
  const own = fields.map((field) => ({
    name: field.name,
    in: "query",
    required: isRequired(field),
    description: helpOf(field),
    schema: schemaOf(field),
    ...example[field.name] === undefined ? {} : { example: example[field.name] },
  }));
  const cursor = {
    name: CURSOR,
    in: "query",
    required: false,
    description: "The page that `next_cursor` of the page before it names.",
    schema: { type: "string" },
  };
  return isPaged ? [...own, cursor] : own;
}

function bodyOf(fields: readonly Field[], example: Example): Json {
  const required = fields.filter(isRequired).map(({ name }) => name);
  const properties = fields.map((field) => [field.name, {
    ...schemaOf(field),
    description: helpOf(field),
  }]);
  const schema = {
    type: "object",
    additionalProperties: false,
    ...required.length > 0 ? { required } : {},
    properties: Object.fromEntries(properties),
  };
  return {
    required: required.length > 0,
    content: { "application/json": { schema, example } },
  };
}

function successOf(isList: boolean): Json {
  const list = {
    data_count: { type: "integer" },
    next_cursor: { type: ["string", "null"] },
    has_more: { type: "boolean" },
  };
  const schema = {
    type: "object",
    required: ["success", "message", "data"],
    properties: {
      success: { const: true },
      message: { const: "OK" },
      data: isList ? { type: "array", items: { type: "object" } } : { type: "object" },
      ...isList ? list : {},
    },
  };
  const description = "The document that the command prints with --json";
  return { description, content: { "application/json": { schema } } };
}

function isRequired({ flag, positional }: Field): boolean {
  return flag ? flag[1].need === "required" : positional?.isRest !== true;
}

function helpOf({ flag, positional }: Field): string {
  return flag?.[1].help ?? positional!.help;
}

function schemaOf({ flag, positional }: Field): Json {
  if (!flag) {
    const text = { type: ["string", "integer"] };
    return positional!.isRest ? { type: "array", items: text } : text;
  }
  const [, { kind, need }] = flag;
  const one = kindSchema(kind);
  return need === "repeated" ? { type: "array", items: one } : one;
}

function kindSchema({ json, values, is }: Kind<unknown>): Json {
  if (json === "boolean") return { type: "boolean" };
  if (json === "number") return { type: ["number", "string"], description: is };
  if (json === "file") return { type: "string", contentEncoding: "base64" };
  if (json === "list") {
    return { type: "array", items: { type: "string", ...values ? { enum: values } : {} } };
  }
  return { type: "string", ...values ? { enum: values } : {} };
}

/** The command's first example, as a program sends it. */
function exampleOf(
  operation: Operation,
  commands: Awaited<ReturnType<typeof allCommands>>,
): Example {
  const words = wordsOf(operation.examples[0] ?? nameOf(operation));
  const texts = new Map<string, string[]>();
  for (const [i, word] of words.entries()) {
    if (!word.startsWith("--")) continue;
    const next = words[i + 1];
    const value = next === undefined || next.startsWith("--") ? "" : next;
    texts.set(word.slice(2), [...texts.get(word.slice(2)) ?? [], value]);
  }
  const { input } = parseCommand(words, { commands, isTerminal: false });
  const entries = fieldsOf(operation).flatMap(({ name, flag, positional }, i) => {
    if (!flag) {
      const value = positional!.isRest ? input.positionals.slice(i) : input.positionals[i];
      return value === undefined || value.length === 0 ? [] : [[name, value]];
    }
    const given = texts.get(flag[0]);
    return given ? [[name, valueOf(flag[1], given)]] : [];
  });
  return Object.fromEntries(entries);
}

function valueOf(
  { kind: { json }, need }: NonNullable<Field["flag"]>[1],
  given: readonly string[],
): unknown {
  const [text = ""] = given;
  if (need === "repeated") return given;
  if (json === "boolean") return text !== "off";
  if (json === "list") return text.split(",");
  if (json === "number" && /^\d+$/.test(text) && Number.isSafeInteger(Number(text))) {
    return Number(text);
  }
  return text;
}

/** As a shell splits them. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}
