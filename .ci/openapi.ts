/** Writes what follows from endpoints and commands, after they have changed: deno task openapi */
import { ENDPOINTS } from "../src/http/endpoints.ts";
import { openApiText } from "../src/http/openapi/document.ts";
import { withTables, WRITTEN_DOCS } from "./docs_source.ts";
import { sdkSources } from "./sdk_source.ts";

const ROOT = new URL("../", import.meta.url);
const text = openApiText();
const document = JSON.parse(text);
const references = Object.fromEntries(
  ENDPOINTS.map(({ operationId, reference }) => [operationId, reference]),
);
const sources = { "docs/openapi.json": text, ...sdkSources(document, references) };
for (const [path, source] of Object.entries(sources)) {
  await Deno.writeTextFile(new URL(path, ROOT), source);
}
for (const path of WRITTEN_DOCS) {
  const file = new URL(path, ROOT);
  await Deno.writeTextFile(file, withTables(await Deno.readTextFile(file)));
}
