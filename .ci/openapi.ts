/** Writes docs/openapi.json, after endpoints have changed: deno task openapi */
import { openApiText } from "../src/http/openapi/document.ts";

await Deno.writeTextFile(new URL("../docs/openapi.json", import.meta.url), openApiText());
