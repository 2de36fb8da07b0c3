import assert from "node:assert/strict";
import { BODY_BYTES_MAX, parseBounded, WORD } from "../../../src/chains/pool/bounded_json.ts";
import { limitsOf } from "../../../src/chains/evm/answer_limits.ts";
import { RpcFailure } from "../../../src/chains/pool/node_errors.ts";

function parse(text: string, depthMax?: number): unknown {
  return parseBounded(text, { host: "node", depthMax, parse: JSON.parse });
}

function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

const isRefused = (kind: RpcFailure["kind"]) => (error: unknown) =>
  error instanceof RpcFailure && error.kind === kind;

Deno.test("an answer is read up to its depth limit, ignoring brackets inside strings", () => {
  for (const depth of [1, 64]) assert.deepEqual(parse(nested(depth)), JSON.parse(nested(depth)));
  assert.throws(() => parse(nested(65)), isRefused("not_json"));
  assert.throws(() => parse(`{"a":`.repeat(65)), isRefused("not_json"));
  const flat = JSON.stringify(Array.from({ length: 100 }, () => [[]]));
  assert.deepEqual(parse(flat, 3), JSON.parse(flat));
  for (const text of ["[[[", "{{", '"[', '\\"[[', '\\\\"[\\', "[\\\\"]) {
    const json = JSON.stringify({ [text]: [text, "end"] });
    assert.deepEqual(parse(json, 2), JSON.parse(json), json);
    assert.throws(() => parse(`[${json}]`, 2), isRefused("not_json"), json);
  }
});

Deno.test("an answer has two million values at most", () => {
  const zeros = (count: number) => `[${"0,".repeat(count - 1)}0]`;
  assert.equal((parse(zeros(1_999_999)) as unknown[]).length, 1_999_999);
  assert.throws(() => parse(zeros(2_000_000)), isRefused("too_large"));
});

Deno.test("invalid JSON is left to the parser, however it ends", () => {
  for (const text of ["", '"', '["\\"', "]]]]", '{"a":"', "nul"]) {
    assert.throws(() => parse(text), SyntaxError, text);
  }
});

Deno.test("a body's limit is the sum of its calls', and a trace may be deep", () => {
  const call = (method: string, params: unknown[] = []) => ({ method, params });
  assert.deepEqual(limitsOf([call("eth_chainId")]), WORD);
  assert.deepEqual(limitsOf([call("eth_chainId"), call("eth_gasPrice")]), {
    bytesMax: 2 * WORD.bytesMax,
  });
  const block = (isWhole: boolean) => limitsOf([call("eth_getBlockByNumber", ["0x1", isWhole])]);
  assert.equal(block(true).bytesMax, BODY_BYTES_MAX);
  assert.ok(block(false).bytesMax < BODY_BYTES_MAX / 10);
  assert.equal(limitsOf([call("eth_unheardOf")]).depthMax, undefined);
  const { depthMax } = limitsOf([call("debug_traceBlockByHash"), call("eth_chainId")]);
  const deepest = `[{"result":${`{"calls":[`.repeat(1_024)}{}${"]}".repeat(1_024)}}]`;
  assert.equal(JSON.stringify(parse(deepest, depthMax)), deepest);
});
