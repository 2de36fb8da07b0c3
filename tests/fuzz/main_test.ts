import assert from "node:assert/strict";

const MAIN = new URL("main.ts", import.meta.url).pathname;
const CONFIG = new URL("../../deno.json", import.meta.url).pathname;

Deno.test("the fuzzer explains itself on request, and when it gets an unknown argument", async () => {
  const asked = await fuzz("--help");
  assert.deepEqual([asked.code, asked.err], [0, ""]);
  assert.match(asked.out, /^deno task fuzz \[PART…\].*--requests N/);
  for (const args of [["--sed", "3"], ["--requests", "many"], ["nothing"]]) {
    const { code, out, err } = await fuzz(...args);
    assert.deepEqual([code, out], [2, ""]);
    assert.ok(err.includes(args[0]!), err);
    assert.match(err, /\n\ndeno task fuzz /);
  }
});

Deno.test("some requests to the API and the dashboard find nothing", async () => {
  const { code, out } = await fuzz("http", "--seed", "1", "--requests", "3000");
  assert.equal(code, 0, out);
  assert.match(out, /^seed 1\n/);
  assert.match(out, /inputs in [\d.]+ s \([\d,]+\/s\)\n[\s\S]*\nNothing found\n$/);
});

async function fuzz(...args: string[]) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "-P=test", "--config", CONFIG, "--v8-flags=--expose-gc", MAIN, ...args],
    env: { NO_COLOR: "1" },
  }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, out: out!, err: err! };
}
