import { withTables, WRITTEN_DOCS } from "../../.ci/docs_source.ts";
import { sdkSources } from "../../.ci/sdk_source.ts";
import assert from "node:assert/strict";
import { permissionsOf } from "../../src/http/endpoint.ts";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import {
  answerTo,
  exampleOf,
  openApiDocument,
  openApiText,
} from "../../src/http/openapi/document.ts";
import { exampleEvent } from "../../src/http/openapi/event_examples.ts";
import { ENVELOPES } from "../../src/http/openapi/events.ts";
import { Schemas } from "../../src/http/openapi/json_schema.ts";
import { EVENT_TYPES } from "../../src/webhooks/rules/events.ts";

const ROOT = new URL("../../", import.meta.url);

Deno.test("documents and SDK are what endpoints and commands say: deno task openapi writes them", async () => {
  const document = JSON.parse(openApiText());
  const references = Object.fromEntries(
    ENDPOINTS.map(({ operationId, reference }) => [operationId, reference]),
  );
  const written = { "docs/openapi.json": openApiText() };
  for (const [path, source] of Object.entries(sdkSources(document, references))) {
    const text = await formatted(source);
    assert.ok(text.split("\n").length <= 300, `${path} is long: split it in .ci/sdk_source.ts`);
    Object.assign(written, { [path]: text });
  }
  for (const path of WRITTEN_DOCS) {
    const text = await Deno.readTextFile(new URL(path, ROOT));
    Object.assign(written, { [path]: await formatted(withTables(text), "md") });
  }
  for (const [path, text] of Object.entries(written)) {
    const committed = await Deno.readTextFile(new URL(path, ROOT));
    assert.ok(committed === text, `${path} is old: deno task openapi writes it`);
  }
});

async function formatted(source: string, ext = "ts"): Promise<string> {
  const config = new URL("deno.json", ROOT).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "-q", "--config", config, "--ext", ext, "-"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(source));
  await writer.close();
  const { success, stdout } = await child.output();
  assert.ok(success);
  return new TextDecoder().decode(stdout);
}

Deno.test("the document has every endpoint with its permission, and every event", () => {
  // deno-lint-ignore no-explicit-any -- a document in JSON
  const { paths, webhooks } = openApiDocument() as any;
  for (const endpoint of ENDPOINTS) {
    const { method, path, operationId } = endpoint;
    const permissions = permissionsOf(endpoint).map((one) => `\`${one}\``).join(", ");
    const operation = paths[path][method.toLowerCase()];
    assert.equal(operation.operationId, operationId);
    assert.match(operation.description, new RegExp(`Permission: ${permissions}$`));
  }
  assert.equal(
    Object.values(paths).flatMap((methods) => Object.keys(methods as object)).length,
    ENDPOINTS.length,
  );
  assert.deepEqual(Object.keys(webhooks), EVENT_TYPES);
});

Deno.test("operations have names of their own", () => {
  const names = ENDPOINTS.map(({ operationId }) => operationId);
  assert.equal(new Set(names).size, names.length);
});

for (const endpoint of ENDPOINTS) {
  const { method, path, query, body, example } = endpoint;
  Deno.test(`the example of ${method} ${path} is valid`, () => {
    answerTo(endpoint).parse(exampleOf(endpoint));
    body?.strict().parse(example.body);
    query?.strict().parse(example.query ?? {});
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    assert.deepEqual(Object.keys(example.path ?? {}), names);
  });
}

Deno.test("the example of each event is valid, and no sample", () => {
  for (const type of EVENT_TYPES) {
    const { id, ...event } = exampleEvent(type);
    ENVELOPES[type].strict().parse({ id, ...event });
    assert.ok(!("sample" in event) && !id.startsWith("evt_sample_"), type);
  }
});

Deno.test("the golden events are what the document says", async () => {
  for (const type of EVENT_TYPES) {
    const file = new URL(`tests/golden/${type}.json`, ROOT);
    const golden = await Deno.readTextFile(file).catch(() => undefined);
    if (golden !== undefined) ENVELOPES[type].parse(JSON.parse(golden));
  }
});

Deno.test("a duration says its unit, in the document and in the guide", async () => {
  const found: string[] = [];
  for (const { path, method, body } of ENDPOINTS) {
    const { expires_in: duration } = body?.shape ?? {};
    if (!duration) continue;
    const name = `${method} ${path}`;
    found.push(name);
    const schema = new Schemas().of(duration, { isRequest: true });
    assert.equal(schema["x-unit"], "seconds", name);
    assert.match(String(schema.description), /^In seconds/, name);
    const guide = await Deno.readTextFile(new URL("docs/api.md", ROOT));
    const section = guide.split(`### ${name}\n`)[1]!.split("\n### ")[0]!;
    assert.match(section, /`expires_in` \(300 to 2592000 seconds\)/, name);
  }
  assert.deepEqual(found, ["POST /v1/invoices", "POST /v1/invoices/{invoice_id}/extend"]);
});
