import assert from "node:assert/strict";
import { startGateway } from "../support/gateway.ts";

const STILL = { CPG_WORKER: "false" };

async function ask(url: string, method = "GET") {
  const answer = await fetch(url, { method, redirect: "manual" });
  const text = await answer.text();
  return { status: answer.status, to: answer.headers.get("location"), text };
}

Deno.test("the bare address leads to the dashboard, if there is one", async () => {
  await using gateway = await startGateway(STILL);
  for (const method of ["GET", "HEAD"]) {
    const { status, to } = await ask(`${gateway.url}/`, method);
    assert.deepEqual([status, to], [302, "/dashboard"]);
  }
  assert.equal((await ask(`${gateway.url}/`, "POST")).status, 404);
  assert.equal((await ask(`${gateway.url}/docs`)).status, 200);
});

Deno.test("without the dashboard, the bare address leads to the documentation, which is complete", async () => {
  await using gateway = await startGateway({ ...STILL, CPG_DASHBOARD_PORT: "off" });
  const { status, to } = await ask(`${gateway.url}/`);
  assert.deepEqual([status, to], [302, "/docs"]);
  const { text } = await ask(`${gateway.url}/docs`);
  const assets = [...text.matchAll(/"(\/[^"]*\/assets\/[^"]*)"/g)].map(([, path]) => path!);
  assert.equal(assets.length, 3);
  for (const path of assets) assert.equal((await ask(gateway.url + path)).status, 200, path);
});

Deno.test("what leads to another page has a request id like every answer", async () => {
  await using gateway = await startGateway(STILL);
  for (const [path, status, to] of [["/docs/", 308, "/docs"], ["/", 302, "/dashboard"]] as const) {
    const answer = await fetch(gateway.url + path, { redirect: "manual" });
    await answer.body?.cancel();
    assert.deepEqual([answer.status, answer.headers.get("location")], [status, to]);
    assert.match(answer.headers.get("x-request-id") ?? "", /^[\w-]{16}$/, path);
  }
});

Deno.test("each listener leads to what it serves, if the dashboard has one of its own", async () => {
  await using gateway = await startGateway({ ...STILL, CPG_DASHBOARD_PORT: "0" });
  const own = new URL(gateway.serving.dashboardUrl!).origin;
  assert.equal((await ask(`${own}/`)).to, "/dashboard");
  assert.equal((await ask(`${own}/docs`)).status, 404);
  assert.equal((await ask(`${gateway.url}/`)).to, "/docs");
});

Deno.test("switched off, the documentation is nowhere", async () => {
  const off = { ...STILL, CPG_DOCS: "off" };
  await using gateway = await startGateway({ ...off, CPG_DASHBOARD_PORT: "off" });
  for (const path of ["/", "/docs", "/docs/", "/docs/signing"]) {
    assert.equal((await ask(gateway.url + path)).status, 404, path);
  }
  assert.equal((await ask(`${gateway.url}/openapi.json`)).status, 200);
});
