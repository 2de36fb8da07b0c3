import assert from "node:assert/strict";
import {
  apiUrlOf,
  docsUrlOf,
  type EnvironmentSetting,
} from "../../../src/dashboard/environment.ts";

const SEEN = "http://127.0.0.1:9090";

function known(values: Readonly<Record<string, string>>) {
  const environment = Object.entries(values).map(([name, value]): EnvironmentSetting => ({
    ...{ name, value, meaning: "", source: "environment" },
  }));
  return { environment, publicUrl: SEEN };
}

Deno.test("pages link to the documentation where the API is, unless it is switched off", () => {
  const url = "https://pay.example.com/";
  assert.equal(docsUrlOf(known({ CPG_DOCS: "on" })), `${SEEN}/docs`);
  assert.equal(docsUrlOf(known({ CPG_DOCS: "on", CPG_PUBLIC_URL: url })), `${url}docs`);
  assert.equal(docsUrlOf(known({ CPG_DOCS: "off", CPG_PUBLIC_URL: url })), undefined);
  assert.equal(apiUrlOf(known({ CPG_PUBLIC_URL: "" })), SEEN);
});
