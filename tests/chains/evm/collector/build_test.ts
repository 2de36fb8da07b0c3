import assert from "node:assert/strict";

const ROOT = new URL("../../../../", import.meta.url);

Deno.test("the contract's code in the program is what its source gives with the pinned compiler", async () => {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-q", "--no-check", "--config", ".ci/collector.json", "-P", "--no-prompt"],
      ...[".ci/collector.ts", "--check"],
    ],
    cwd: ROOT,
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
});
