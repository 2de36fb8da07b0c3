import assert from "node:assert/strict";
import { makeMerchant, startGateway } from "../support/gateway.ts";

const ROOT = new URL("../../", import.meta.url);

Deno.test("two validators accept the document, and two generated clients compile and make a call", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { credentials: { keyId, secret } } = await makeMerchant(gateway);
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "--no-check", "--config", ".ci/readers.json", "-P", ".ci/readers.ts"],
    cwd: ROOT,
    env: { CPG_URL: gateway.url, CPG_KEY_ID: keyId, CPG_SECRET: secret },
  }).output();
  const [out, faults] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert.ok(success, `${out}${faults}`);
});
