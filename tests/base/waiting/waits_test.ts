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

Deno.test("one timer serves all waits, also those that begin when another ends", async () => {
  using _awake = stayAwake();
  using timers = countTimers();
  const waits = new Waits(WAIT_MS);
  let left = 20;
  await new Promise<void>((resolve) => {
    const again = () => {
      if (--left === 0) resolve();
      else waits.start(again);
    };
    waits.start(again);
    for (let i = 0; i < 50; i++) {
      const sinceMs = performance.now();
      while (performance.now() - sinceMs < 0.2);
      waits.start(() => {});
    }
    const refill = () => void (left > 0 && waits.start(refill));
    for (let i = 0; i < 3; i++) waits.start(refill);
  });
  assert.equal(timers.most, 1);
});

const WAIT_MS = 10;

/** How many timers of such waits wait at once, whatever else this process waits for. */
function countTimers(): Disposable & { readonly most: number } {
  const { setTimeout, clearTimeout } = globalThis;
  const open = new Set<unknown>();
  let most = 0;
  const start = (run: () => void, ms: number) => {
    const id = setTimeout(() => {
      open.delete(id);
      run();
    }, ms);
    if (ms <= WAIT_MS && String(run).includes("#end")) most = Math.max(most, open.add(id).size);
    return id;
  };
  const clear = (id: ReturnType<typeof setTimeout>) => {
    open.delete(id);
    clearTimeout(id);
  };
  Object.assign(globalThis, { setTimeout: start, clearTimeout: clear });
  return {
    get most() {
      return most;
    },
    [Symbol.dispose]: () => void Object.assign(globalThis, { setTimeout, clearTimeout }),
  };
}
