import assert from "node:assert/strict";
import { lately } from "../../src/books/lately.ts";
import type { Deps } from "../../src/deps/deps.ts";

Deno.test("an answer survives a failing look and is forgotten when it is old", async () => {
  let nowMs = 0;
  const deps = { memory: { looks: new Map() }, clock: { nowMs: () => nowMs } } as Deps;
  const ask = (look: () => Promise<string>) =>
    lately(deps, { key: "test", look, waitMs: 0, waitAgainMs: 0 });
  const hanging = () => new Promise<string>(() => {});
  assert.equal(
    await lately(deps, { key: "test", look: () => Promise.resolve("known"), waitMs: 60_000 }),
    "known",
  );
  nowMs += 15_000;
  await assert.rejects(ask(() => Promise.reject(new Error("down"))), /down/);
  nowMs += 15_000;
  assert.equal(await ask(hanging), "known");
  nowMs += 60_000;
  assert.equal(await ask(hanging), undefined);
});
