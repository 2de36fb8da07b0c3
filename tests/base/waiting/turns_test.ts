import assert from "node:assert/strict";
import { type Asker, TooBusy, Turns } from "../../../src/base/waiting/turns.ts";

const LIMITS = { atOnce: 2, strangersAtOnce: 1, waitingMax: 4, waitMs: 60_000 };
const KNOWN: Asker = { isKnown: true };
const stranger = (...marks: string[]): Asker => ({ isKnown: false, marks });

async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve();
}

/** Work that ends when the test ends it. */
function scene(limits = LIMITS) {
  let nowMs = 0;
  const turns = new Turns(limits, () => nowMs);
  const running = new Map<string, () => void>();
  const log: string[] = [];
  const settled: Promise<unknown>[] = [];
  return {
    log,
    at: (ms: number) => void (nowMs = ms),
    ask: (name: string, asker: Asker) => {
      const work = () =>
        new Promise<void>((resolve) => {
          log.push(name);
          running.set(name, resolve);
        });
      const done = turns.run(asker, work).catch((error) => {
        assert.ok(error instanceof TooBusy);
        log.push(`${name} refused`);
      });
      settled.push(done);
    },
    end: async (name: string) => {
      running.get(name)!();
      running.delete(name);
      await settle();
    },
    all: async () => {
      await settle();
      for (let names = [...running]; names.length > 0; names = [...running]) {
        for (const [name, resolve] of names) {
          running.delete(name);
          resolve();
        }
        await settle();
      }
      await Promise.all(settled);
      return log;
    },
  };
}

Deno.test("strangers never take the turn of known users", async () => {
  const { ask, end, all, log } = scene();
  for (let i = 0; i < 4; i++) ask(`s${i}`, stranger(`s${i}`));
  ask("ann", KNOWN);
  await settle();
  assert.deepEqual(log, ["s0", "ann"]);
  ask("bob", KNOWN);
  await end("ann");
  assert.deepEqual(log, ["s0", "ann", "bob"]);
  await end("s0");
  assert.equal(log.length, 4, "one stranger goes on");
  await all();
});

Deno.test("known users may have all turns, and go first", async () => {
  const { ask, end, all, log } = scene();
  for (const name of ["a", "b", "c"]) ask(name, KNOWN);
  ask("s", stranger("s"));
  await settle();
  assert.deepEqual(log, ["a", "b"]);
  await end("a");
  assert.deepEqual(log, ["a", "b", "c"]);
  assert.deepEqual(await all(), ["a", "b", "c", "s"]);
});

Deno.test("among strangers, whoever asked least lately goes first, by address or by name", async () => {
  const { ask, all } = scene({ ...LIMITS, waitingMax: 40 });
  for (let i = 0; i < 10; i++) ask(`flood ${i}`, stranger("from a", `at ${i}`));
  for (let i = 0; i < 10; i++) ask(`crowd ${i}`, stranger(`from ${i}`, "at ann"));
  ask("bob", stranger("from home", "at bob"));
  const log = await all();
  assert.equal(log.indexOf("bob"), 1, "right after what was running");
});

Deno.test("if too many wait, whoever asked most is refused", async () => {
  const { ask, all } = scene();
  for (let i = 0; i < 6; i++) ask(`flood ${i}`, stranger("from a"));
  ask("bob", stranger("from b"));
  const log = await all();
  assert.deepEqual(log.filter((line) => line.includes("refused")), [
    "flood 5 refused",
    "flood 4 refused",
  ]);
  assert.ok(log.indexOf("bob") < log.indexOf("flood 1"));
});

Deno.test("each try is forgotten a minute later", async () => {
  const { ask, all, at } = scene({ ...LIMITS, waitingMax: 40 });
  ask("ann", stranger("a"));
  ask("ann again", stranger("a"));
  at(120_000);
  ask("bob", stranger("b"));
  ask("bob again", stranger("b"));
  ask("ann at last", stranger("a"));
  const log = await all();
  assert.deepEqual(log.slice(0, 2), ["ann", "ann at last"]);
});

Deno.test("whoever waits too long is refused, and gets no turn", async () => {
  const { ask, end, all, log } = scene({ ...LIMITS, waitMs: 10 });
  ask("slow", stranger("a"));
  ask("late", stranger("b"));
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.deepEqual(log, ["slow", "late refused"]);
  await end("slow");
  ask("next", stranger("c"));
  assert.deepEqual(await all(), ["slow", "late refused", "next"]);
});

Deno.test("work that fails gives its turn back", async () => {
  const turns = new Turns({ ...LIMITS, atOnce: 1 }, () => 0);
  for (const asker of [KNOWN, stranger("a")]) {
    for (let i = 0; i < 3; i++) {
      await assert.rejects(turns.run(asker, () => Promise.reject(new Error("no"))), /^Error: no$/);
    }
  }
  assert.equal(await turns.run(stranger("a"), () => Promise.resolve("yes")), "yes");
});
