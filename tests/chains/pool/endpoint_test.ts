import assert from "node:assert/strict";
import { NodeError } from "../../../src/chains/faults.ts";
import { Endpoint } from "../../../src/chains/pool/endpoint.ts";

function makeEndpoint(warned: string[]) {
  return new Endpoint("http://node.example", {
    protocol: {
      open: () => () => ({ host: "node.example" }),
      refOn: () => assert.fail(),
      identityOn: () => assert.fail(),
    },
    fetch,
    timeoutMs: 1_000,
    clock: { nowMs: () => 0 },
    sleep: () => Promise.resolve(),
    log: { info: () => {}, warn: (text: string) => void warned.push(text) },
    expected: undefined,
  } as never);
}

Deno.test("an answer that trips the program is the endpoint's fault, and the operator hears of it", async () => {
  const warned: string[] = [];
  const endpoint = makeEndpoint(warned);
  const trip = () => Promise.resolve(({} as { a: { b: number } }).a.b);
  for (const ask of [() => endpoint.ask(trip), () => endpoint.askStranger(trip)]) {
    await assert.rejects(ask(), (error: NodeError) => {
      assert.ok(error instanceof NodeError);
      return error.message === "node.example answered what could not be read";
    });
  }
  assert.equal(endpoint.isHealthy(), false);
  assert.deepEqual(new Set(warned), new Set(["an endpoint's answer was not understood"]));
  assert.equal(warned.length, 2);
  const bug = new Error("of another kind");
  await assert.rejects(endpoint.ask(() => Promise.reject(bug)), bug);
});
