import assert from "node:assert/strict";
import { endChild } from "../../src/base/end_child.ts";

/** Says when it is ready for signals. */
async function start(script: string): Promise<Deno.ChildProcess> {
  const child = new Deno.Command("sh", { args: ["-c", script], stdout: "piped" }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  await reader.cancel();
  return child;
}

Deno.test("a child ends by the signal it gets, and is killed if it ignores it", async () => {
  for (
    const [script, signal] of [
      ["echo ready; exec sleep 100", "SIGTERM"],
      ["trap '' TERM; echo ready; exec sleep 100", "SIGKILL"],
    ] as const
  ) {
    const child = await start(script);
    await endChild(child, "SIGTERM", { patienceMs: signal === "SIGKILL" ? 50 : 60_000 });
    assert.equal((await child.status).signal, signal, script);
    await endChild(child, "SIGTERM");
  }
});
