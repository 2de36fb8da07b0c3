import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { EVENT_TYPES } from "../../src/webhooks/rules/events.ts";
import { allPages } from "../../src/docs/pages.ts";
import { operationPath } from "../../src/docs/site.ts";
import { permissionsOf } from "../../src/http/endpoint.ts";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import { refusalsOf } from "../../src/http/openapi/refusals.ts";
import { verifyWebhook } from "../../src/sdk/mod.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";

const BYTES_MAX = 200_000;

let gateway: TestGateway;
Deno.test.beforeAll(async () => {
  gateway = await startGateway({ CPG_WORKER: "false", CPG_DASHBOARD_PORT: "off" });
});
Deno.test.afterAll(() => gateway.stop());

const paths = allPages().map(({ path }) => path);

async function read(path: string, status = 200): Promise<string> {
  const answer = await fetch(gateway.url + path);
  assert.equal(answer.status, status, path);
  return await answer.text();
}

const linksOf = (page: string, pattern = /(?:href|src)="([^"]+)"/g) =>
  [...page.matchAll(pattern)].map(([, link]) => link!.replaceAll("&amp;", "&"));

Deno.test("every page with everything it loads has at most 200 kB, and nothing from elsewhere", async () => {
  assert.equal(new Set(paths).size, paths.length);
  for (const path of paths) {
    const page = await read(path);
    assert.doesNotMatch(page, /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/, path);
    const loaded = linksOf(page, /<(?:link|script)[^>]*?(?:href|src)="([^"]+)"/g);
    assert.ok(loaded.every((link) => link.startsWith("/docs/assets/")), path);
    const parts = [page, ...await Promise.all(loaded.map((link) => read(link)))];
    const bytes = new TextEncoder().encode(parts.join("")).length;
    assert.ok(bytes <= BYTES_MAX, `${path} has ${bytes} bytes`);
  }
});

Deno.test("every link leads somewhere, and every page can be reached from the first", async () => {
  const pages = new Map<string, string>();
  for (const path of paths) pages.set(path, await read(path));
  const reached = new Set<string>();
  for (const [path, page] of pages) {
    for (const link of linksOf(page).filter((one) => !one.startsWith("http"))) {
      const [file, anchor] = link.split("#");
      reached.add(file!);
      const target = file === "" ? page : pages.get(file!) ?? await read(file!);
      assert.ok(!anchor || target.includes(` id="${anchor}"`), `${path} links to ${link}`);
    }
  }
  assert.deepEqual(paths.filter((path) => !reached.has(path)), []);
});

Deno.test("an operation's page has its parameters, its fields, and all it may be refused", async () => {
  for (const endpoint of ENDPOINTS) {
    const page = await read(operationPath(endpoint));
    const row = "shape" in endpoint.data ? Object.keys(endpoint.data.shape as object) : [];
    const shapes = [endpoint.query?.shape, endpoint.body?.shape].flatMap((shape) =>
      Object.keys(shape ?? {})
    );
    for (const name of [...shapes, ...row, ...permissionsOf(endpoint)]) {
      assert.ok(page.includes(`<code>${name}</code>`), `${endpoint.operationId}: ${name}`);
    }
    assert.equal(page.includes("Accept: text/csv"), endpoint.hasCsv === true, endpoint.operationId);
    for (const { code, message } of [...refusalsOf(endpoint).values()].flat()) {
      assert.ok(page.includes(`<code>${code}</code>`), code);
      assert.ok(page.includes(message), message);
    }
  }
});

Deno.test("the events' page has a body of each event, which the SDK accepts once it is signed", async () => {
  const page = await read("/docs/events");
  const secret = `whsec_${btoa("a secret of thirty-two bytes....")}`;
  for (const type of EVENT_TYPES) {
    const [, section = ""] = page.split(` id="${type}"`);
    const [, code = ""] = /<code[^>]*>(\{[^]*?)<\/code>/.exec(section) ?? [];
    const body = code.replace(/<[^>]+>/g, "").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
    const { id } = JSON.parse(body);
    const at = new Date();
    const headers = {
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": new Webhook(secret).sign(id, at, body),
    };
    assert.equal((await verifyWebhook(body, headers, secret)).type, type);
  }
});

Deno.test("the policy allows no other site, no inline script, no connection and no form", async () => {
  const answer = await fetch(`${gateway.url}/docs`);
  await answer.body?.cancel();
  const policy = answer.headers.get("content-security-policy")!;
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /connect-src 'none'/);
  assert.match(policy, /form-action 'none'/);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
});

Deno.test("a page has one spelling, a 304 for whoever has it, and a page of its own if it isn't there", async () => {
  for (const path of ["/docs/nowhere", "/docs/signing/", "/docs/Signing", "/docs//signing"]) {
    assert.match(await read(path, 404), /There is no such page/);
  }
  await read("/docs/%73igning", 404);
  const first = await fetch(`${gateway.url}/docs/signing`, { method: "HEAD" });
  const again = await fetch(`${gateway.url}/docs/signing`, {
    headers: { "if-none-match": first.headers.get("etag")! },
  });
  assert.equal(again.status, 304);
  await again.body?.cancel();
});
