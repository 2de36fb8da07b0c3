import assert from "node:assert/strict";
import { nextTurn } from "../../../src/base/waiting/next_turn.ts";
import { type Place, Shares } from "../../../src/base/waiting/shares.ts";
import { TooBusy } from "../../../src/base/waiting/turns.ts";
import { turnsDuring } from "../../support/programs/turns_during.ts";
import { stayAwake } from "./_stay_awake.ts";

const LIMITS = { atOnce: 2, waitMaxMs: 60_000, slowAfterMs: 60_000 };
const TURNS = 20;

const share = (owner: string, max = 2, waitingMax = 1) => ({ owner, max, waitingMax });

async function someTurns(): Promise<void> {
  for (let i = 0; i < TURNS; i++) await nextTurn();
}

Deno.test("a caller has so many places, so many more wait in order, and others are refused at once", async () => {
  using _awake = stayAwake();
  const shares = new Shares(LIMITS);
  const inside: string[] = [];
  const places = new Map<string, Place>();
  const ask = async (name: string, owner = "a") => {
    places.set(name, await shares.enter([share(owner, 2, 2)]));
    inside.push(name);
  };
  const asked = ["a1", "a2", "a3", "a4"].map((name) => ask(name));
  await assert.rejects(ask("a5"), TooBusy);
  await ask("b1", "b");
  assert.deepEqual(inside, ["a1", "a2", "b1"]);
  places.get("a2")!.leave();
  // Twice is once.
  places.get("a2")!.leave();
  await someTurns();
  assert.deepEqual(inside, ["a1", "a2", "b1", "a3"]);
  places.get("a1")!.leave();
  await Promise.all(asked);
  for (const name of ["a3", "a4"]) places.get(name)!.leave();
  await Promise.all(["a6", "a7"].map((name) => ask(name)));
});

Deno.test("whoever finds no room in the wider share gives the narrower one back", async () => {
  using _awake = stayAwake();
  const shares = new Shares(LIMITS);
  const enter = (key: string) => shares.enter([share(key, 1, 0), share("account", 1, 0)]);
  const first = await enter("a");
  await assert.rejects(enter("b"), TooBusy);
  first.leave();
  (await enter("b")).leave();
});

Deno.test("whoever waits too long for a place is refused, and a work that fails leaves its place", async () => {
  using _awake = stayAwake();
  const shares = new Shares({ ...LIMITS, waitMaxMs: 5 });
  const { promise, reject } = Promise.withResolvers<void>();
  const failing = shares.run([share("a", 1)], () => promise);
  await assert.rejects(shares.run([share("a", 1)], () => Promise.resolve()), TooBusy);
  reject(new RangeError("away"));
  await assert.rejects(failing, RangeError);
  assert.equal(await shares.run([share("a", 1)], () => Promise.resolve(7)), 7);
});

Deno.test("parts are done in turn, caller by caller, each in a turn of the event loop of its own", async () => {
  const shares = new Shares({ ...LIMITS, atOnce: 1 });
  const done: string[] = [];
  const ask = (owner: string, name: string) =>
    shares.turn(owner, () => Promise.resolve(void done.push(name)));
  const all = ["a1", "a2", "a3", "b1", "b2", "c1"].map((name) => ask(name[0]!, name));
  const turns = await turnsDuring(() => Promise.all(all));
  assert.deepEqual(done, ["a1", "b1", "c1", "a2", "b2", "a3"]);
  assert.ok(turns >= done.length, `${turns} turns`);
});

Deno.test("so many parts are done at once, and one that waits for something else holds up no others", async () => {
  using _awake = stayAwake();
  const [quick, patient] = [5, 60_000].map((slowAfterMs) => new Shares({ ...LIMITS, slowAfterMs }));
  const begin = (shares: Shares) => {
    const ends: (() => void)[] = [];
    const all = Array.from(
      { length: 3 },
      () => shares.turn("a", () => new Promise<void>((resolve) => ends.push(resolve))),
    );
    return { ends, all };
  };
  const one = begin(patient!);
  await someTurns();
  assert.equal(one.ends.length, 2);
  one.ends[0]!();
  await someTurns();
  assert.equal(one.ends.length, 3);
  one.ends.forEach((end) => end());
  await Promise.all(one.all);

  const other = begin(quick!);
  while (other.ends.length < 3) await new Promise((resolve) => setTimeout(resolve, 1));
  other.ends.forEach((end) => end());
  await Promise.all(other.all);
  // What was slow doesn't count twice when it ends.
  const again = begin(quick!);
  await nextTurn();
  await nextTurn();
  await nextTurn();
  assert.ok(again.ends.length <= 2, `${again.ends.length} at once`);
  while (again.ends.length < 3) await new Promise((resolve) => setTimeout(resolve, 1));
  again.ends.forEach((end) => end());
  await Promise.all(again.all);
});
