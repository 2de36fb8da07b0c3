import assert from "node:assert/strict";
import { isCanonicalPath } from "../../../src/base/net/request_target.ts";

Deno.test("a path has one spelling and a bounded length", () => {
  for (const path of ["/", "/dashboard", "/dashboard/a%20b", `/${"a".repeat(1_023)}`]) {
    assert.equal(isCanonicalPath(path), true, path);
  }
  for (const path of ["/%61", "/a b", "/%zz", "/%e4", `/${"a".repeat(1_024)}`]) {
    assert.equal(isCanonicalPath(path), false, path);
  }
  const times = Array.from({ length: 100 }, () => {
    const startedAtMs = performance.now();
    isCanonicalPath("/a".repeat(30_000));
    return performance.now() - startedAtMs;
  });
  assert.ok(Math.min(...times) < 10, "A long one isn't parsed");
});
