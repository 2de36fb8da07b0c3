import assert from "node:assert/strict";
import { Waits } from "../../../src/base/waiting/waits.ts";
import { stayAwake } from "./_stay_awake.ts";

Deno.test("waits end in order, except those that were cancelled", async () => {
  using _awake = stayAwake();
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
  using _awake = stayAwake();
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

Deno.test("a wait keeps no program alive", async () => {
  const code = `import { Waits } from "${
    import.meta.resolve("../../../src/base/waiting/waits.ts")
  }";
new Waits(600_000).start(() => {});`;
  const { success } = await new Deno.Command(Deno.execPath(), { args: ["eval", code] }).output();
  assert.ok(success);
});

Deno.test("no cancelled wait ever ends", () => {
  const waits = new Waits(60_000);
  const giveUps = Array.from({ length: 3 }, () => waits.start(() => assert.fail("It ended")));
  for (const giveUp of giveUps) giveUp();
});
