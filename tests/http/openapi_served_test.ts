import assert from "node:assert/strict";
import { startGateway, type TestGateway } from "../support/gateway.ts";

let gateway: TestGateway;
Deno.test.beforeAll(async () => {
  gateway = await startGateway({ CPG_WORKER: "false", CPG_DOCS: "off" });
});
Deno.test.afterAll(() => gateway.stop());

const ask = (init: RequestInit = {}) => fetch(`${gateway.url}/openapi.json`, init);

Deno.test("/openapi.json is the committed file, for anybody and for other sites' pages", async () => {
  const committed = await Deno.readTextFile(new URL("../../docs/openapi.json", import.meta.url));
  const answer = await ask({ headers: { origin: "https://editor.example.com" } });
  assert.equal(answer.status, 200);
  assert.ok(await answer.text() === committed, "it differs from docs/openapi.json");
  assert.equal(answer.headers.get("content-type"), "application/json");
  assert.equal(answer.headers.get("access-control-allow-origin"), "*");
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
  assert.match(answer.headers.get("x-request-id")!, /^\S{10,}$/);
});

Deno.test("whoever has the current /openapi.json gets a 304 without a body", async () => {
  const first = await ask();
  await first.body?.cancel();
  const etag = first.headers.get("etag")!;
  assert.match(etag, /^"[0-9a-f]{32}"$/);
  for (const known of [etag, `W/${etag}`, `"old", ${etag}`, "*"]) {
    const again = await ask({ headers: { "if-none-match": known } });
    assert.equal(again.status, 304, known);
    assert.equal(await again.text(), "");
    assert.equal(again.headers.get("etag"), etag);
  }
  const changed = await ask({ headers: { "if-none-match": '"old"' } });
  assert.equal(changed.status, 200);
  await changed.body?.cancel();
});

Deno.test("/openapi.json answers HEAD, has one spelling, and can only be read", async () => {
  const head = await ask({ method: "HEAD" });
  assert.equal(head.status, 200);
  assert.equal(await head.text(), "");
  assert.ok(head.headers.get("etag"));
  for (const path of ["/openapi.json/", "/openapi%2ejson", "/OPENAPI.json", "//openapi.json"]) {
    const other = await fetch(gateway.url + path);
    assert.equal(other.status, 404, path);
    await other.body?.cancel();
  }
  const post = await ask({ method: "POST", body: "{}" });
  assert.equal(post.status, 404);
  await post.body?.cancel();
});

Deno.test("requests for the document are counted by their path", async () => {
  await (await ask()).body?.cancel();
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  assert.match(
    metrics,
    /^cpg_http_requests_total\{method="GET",route="\/openapi.json",status="200"\} \d+$/m,
  );
});
