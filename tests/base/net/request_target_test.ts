import assert from "node:assert/strict";
import { isCanonicalPath } from "../../../src/base/net/request_target.ts";

Deno.test("a path has one spelling and a bounded length", () => {
  for (const path of ["/", "/dashboard", "/dashboard/a%20b", `/${"a".repeat(1_023)}`]) {
    assert.equal(isCanonicalPath(path), true, path);
  }
  for (const path of ["/%61", "/a b", "/%zz", "/%e4", `/${"a".repeat(1_024)}`]) {
    assert.equal(isCanonicalPath(path), false, path);
  }
  const startedAtMs = performance.now();
  for (let i = 0; i < 100; i++) isCanonicalPath("/a".repeat(30_000));
  assert.ok(performance.now() - startedAtMs < 100, "100 of them in less than one took");
});
