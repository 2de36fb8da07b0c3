import assert from "node:assert/strict";
import { BODY_BYTES_MAX, parseBounded, WORD } from "../../../src/chains/pool/json/bounded_json.ts";
import { limitsOf } from "../../../src/chains/evm/answer_limits.ts";
import { RpcFailure } from "../../../src/chains/pool/node_errors.ts";
import { turnsDuring } from "../../support/programs/turns_during.ts";

async function parse(text: string, depthMax?: number): Promise<unknown> {
  return await parseBounded(text, { host: "node", depthMax, parse: JSON.parse });
}

function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

const isRefused = (kind: RpcFailure["kind"]) => (error: unknown) =>
  error instanceof RpcFailure && error.kind === kind;

Deno.test("an answer is read up to its depth limit, ignoring brackets inside strings", async () => {
  for (const depth of [1, 64]) {
    assert.deepEqual(await parse(nested(depth)), JSON.parse(nested(depth)));
  }
  await assert.rejects(() => parse(nested(65)), isRefused("not_json"));
  await assert.rejects(() => parse(`{"a":`.repeat(65)), isRefused("not_json"));
  const flat = JSON.stringify(Array.from({ length: 100 }, () => [[]]));
  assert.deepEqual(await parse(flat, 3), JSON.parse(flat));
  for (const text of ["[[[", "{{", '"[', '\\"[[', '\\\\"[\\', "[\\\\"]) {
    const json = JSON.stringify({ [text]: [text, "end"] });
    assert.deepEqual(await parse(json, 2), JSON.parse(json), json);
    await assert.rejects(() => parse(`[${json}]`, 2), isRefused("not_json"), json);
  }
});

Deno.test("an answer has two million values at most, or as many as were asked for", async () => {
  const zeros = (count: number) => `[${"0,".repeat(count - 1)}0]`;
  const limits = { host: "node", valuesMax: 100, parse: JSON.parse };
  assert.equal((await parseBounded(zeros(99), limits) as unknown[]).length, 99);
  await assert.rejects(() => parseBounded(zeros(100), limits), isRefused("too_large"));
  assert.equal((await parse(zeros(1_999_999)) as unknown[]).length, 1_999_999);
  await assert.rejects(() => parse(zeros(2_000_000)), isRefused("too_large"));
});

Deno.test("objects have four thousand orders of names at most: each costs the parser's memory", async () => {
  const objects = (count: number, nameOf: (i: number) => string[]) =>
    JSON.stringify(
      Array.from(
        { length: count },
        (_, i) => Object.fromEntries(nameOf(i).map((name) => [name, i])),
      ),
    );
  const alike = objects(50_000, () => ["hash", "from", "to", `a : "b"`]);
  assert.equal((await parse(alike) as unknown[]).length, 50_000);
  await assert.rejects(() => parse(objects(5_000, (i) => [`k${i}`])), isRefused("too_large"));
  await assert.rejects(
    () => parse(objects(1, () => Array.from({ length: 5_000 }, (_, n) => `k${n}`))),
    isRefused("too_large"),
  );
  const pairs = Array.from({ length: 13 }, (_, bit) => [`a${bit}`, `b${bit}`]);
  const turned = (i: number) =>
    pairs.flatMap(([a = "", b = ""], bit) => i >> bit & 1 ? [a, b] : [b, a]);
  await assert.rejects(
    () => parse(objects(5_000, turned).replaceAll(":", " :\n")),
    isRefused("too_large"),
  );
  const named = (chars: number) => objects(1_000, () => ["k".repeat(chars), "of many objects"]);
  assert.equal((await parse(named(1_000)) as unknown[]).length, 1_000);
  await assert.rejects(() => parse(named(1_001)), isRefused("too_large"));
  const texts = JSON.stringify(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, `"k${i}":`]));
  assert.equal((await parse(texts) as unknown[]).length, 5_000);
});

Deno.test("invalid JSON is left to the parser, however it ends", async () => {
  for (const text of ["", '"', '"a":', '["\\"', "]]]]", '{"a":"', "nul"]) {
    await assert.rejects(() => parse(text), SyntaxError, text);
  }
});

Deno.test("a body's limit is the sum of its calls', and a trace may be deep", async () => {
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
  assert.equal(JSON.stringify(await parse(deepest, depthMax)), deepest);
});

Deno.test("the event loop turns between the looks at parts of a long answer, and before it is parsed", async () => {
  const text = `[${'{"a":"b"},'.repeat(1_500_000)}0]`;
  const read = () => parseBounded(text, { host: "node", valuesMax: 4_000_000, parse: () => 1 });
  const turns = await turnsDuring(read);
  assert.ok(turns >= 4, `The event loop turned ${turns} times`);
});
