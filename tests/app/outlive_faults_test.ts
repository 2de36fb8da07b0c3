import assert from "node:assert/strict";

const PROGRAM = `
import { outliveFaults } from "${new URL("../../src/app/outlive_faults.ts", import.meta.url)}";
import { createLog } from "${new URL("../../src/base/log.ts", import.meta.url)}";
const write = (line) => console.error(line());
const log = createLog({ level: "error", clock: { nowMs: () => 0 }, write });
setTimeout(() => console.log("still here"), 100);
if (Deno.args[0] === "outlives") outliveFaults(log);
for (let i = 0; i < 3; i++) {
  if (Deno.args[1] === "rejects") void Promise.reject(new Error("nobody waits for this"));
  else setTimeout(() => { throw new Error("thrown by a timer"); });
}
`;

async function run(...args: readonly string[]) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "-q", PROGRAM, ...args],
    env: { NO_COLOR: "1" },
  }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, out, err: err! };
}

for (
  const [how, text] of [
    ["rejects", "nobody waits for this"],
    ["throws", "thrown by a timer"],
  ] as const
) {
  Deno.test(`a fault in work that nothing waits for is logged, and the program goes on: it ${how}`, async () => {
    const outlived = await run("outlives", how);
    assert.deepEqual([outlived.code, outlived.out], [0, "still here\n"]);
    const { message, error } = JSON.parse(outlived.err);
    assert.equal(message, "a fault that nothing waited for");
    assert.ok(JSON.stringify(error).includes(text));
    const ended = await run("ends", how);
    assert.deepEqual([ended.code, ended.out], [1, ""]);
  });
}
