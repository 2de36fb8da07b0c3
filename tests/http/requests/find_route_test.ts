import assert from "node:assert/strict";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { routePattern } from "../../../src/http/endpoint.ts";
import { ENDPOINTS } from "../../../src/http/endpoints.ts";

Deno.test("no two endpoints' patterns overlap, so Hono's fastest router takes them all", () => {
  const router = new RegExpRouter<string>();
  for (const { method, path, operationId } of ENDPOINTS) {
    router.add(method, routePattern(path), operationId);
  }
  // The first look throws if the router doesn't support a pattern.
  for (const { method, path, operationId } of ENDPOINTS) {
    const [found] = router.match(method, path.replace(/\{\w+\}/g, "1"));
    assert.deepEqual(found.map(([name]) => name), [operationId]);
  }
});
