import assert from "node:assert/strict";
import { NodeError } from "../../../src/chains/faults.ts";
import { Pool } from "../../../src/chains/pool/endpoints.ts";

/** Endpoints that are known by their names alone. */
function makePool(...hosts: string[]) {
  const warned: object[] = [];
  const pool = new Pool<{ host: string }>({
    rpcUrls: hosts.map((host) => `http://${host}`),
    quorum: 1,
    expected: undefined,
    protocol: { open: (url: string) => () => ({ host: new URL(url).host }) },
    fetch,
    timeoutMs: 1_000,
    clock: { nowMs: () => 0 },
    sleep: (_: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve())),
    log: { info: () => {}, warn: (_: string, fields: object) => void warned.push(fields) },
  } as never);
  return { pool, warned };
}

/** A fault of ours, which only the answer of this endpoint shows. */
const tripOn = (host: string) => (node: { host: string }) => {
  if (node.host === host) return Promise.resolve(({} as { a: { b: string } }).a.b);
  return Promise.resolve(`of ${node.host}`);
};

Deno.test("an answer that trips the program is read from another endpoint, and the operator hears of it", async () => {
  const { pool, warned } = makePool("one.example", "two.example");
  assert.equal(await pool.read(tripOn("one.example")), "of two.example");
  assert.deepEqual(warned.map((fields) => ({ ...fields, error: undefined })), [
    { network: undefined, host: "one.example", error: undefined },
  ]);
  const alone = makePool("one.example");
  await assert.rejects(alone.pool.read(tripOn("one.example")), (error) => {
    assert.ok(error instanceof NodeError);
    return error.message === "one.example answered what could not be read";
  });
});

Deno.test("where all endpoints are asked, such an answer is never passed over", async () => {
  const { pool } = makePool("one.example", "two.example");
  await assert.rejects(pool.each(tripOn("one.example")), TypeError);
});

Deno.test("a fault of another kind isn't an endpoint's", async () => {
  const { pool } = makePool("one.example", "two.example");
  const bug = new Error("not this one");
  await assert.rejects(pool.read(() => Promise.reject(bug)), bug);
});
