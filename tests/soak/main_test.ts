import assert from "node:assert/strict";

const MAIN = new URL("main.ts", import.meta.url).pathname;
const CONFIG = new URL("../../deno.json", import.meta.url).pathname;

Deno.test("the soak explains its options on request, and when it gets an unknown one", async () => {
  const asked = await soak("--help");
  assert.deepEqual([asked.code, asked.err], [0, ""]);
  assert.match(asked.out, /^deno task soak .*--minutes N/);
  for (const args of [["--minuts", "3"], ["--minutes", "soon"], ["3"]]) {
    const { code, out, err } = await soak(...args);
    assert.deepEqual([code, out], [2, ""]);
    assert.ok(err.includes(args[0]!.replace(/^3$/, "'3'")), err);
    assert.match(err, /\n\ndeno task soak /);
    assert.doesNotMatch(err, /^ +at /m);
  }
});

async function soak(...args: string[]) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "-P=test", "--config", CONFIG, MAIN, ...args],
    env: { NO_COLOR: "1" },
  }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, out: out!, err: err! };
}
