import assert from "node:assert/strict";
import { Waits } from "../../../src/base/waiting/waits.ts";

Deno.test("waits end in order, except those that were cancelled", async () => {
  const waits = new Waits(20);
  const ended: string[] = [];
  const startedAt = performance.now();
  waits.start(() => ended.push("first"));
  const giveUp = waits.start(() => ended.push("second"));
  giveUp();
  await new Promise<void>((resolve) =>
    waits.start(() => {
      ended.push("third");
      resolve();
    })
  );
  assert.deepEqual(ended, ["first", "third"]);
  assert.ok(performance.now() - startedAt >= 19);
});

Deno.test("a wait that begins while another runs lasts its own time", async () => {
  const waits = new Waits(30);
  const lasted = () => {
    const startedAt = performance.now();
    return new Promise<number>((resolve) =>
      waits.start(() => resolve(performance.now() - startedAt))
    );
  };
  const first = lasted();
  await new Promise<void>((resolve) => new Waits(10).start(resolve));
  const second = lasted();
  assert.ok(await first >= 29 && await second >= 29);
});

Deno.test("no cancelled wait ever ends", () => {
  const waits = new Waits(60_000);
  const giveUps = Array.from({ length: 3 }, () => waits.start(() => assert.fail("It ended")));
  for (const giveUp of giveUps) giveUp();
});
