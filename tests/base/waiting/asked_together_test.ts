import assert from "node:assert/strict";
import { KeptLooks } from "../../../src/base/waiting/kept_looks.ts";
import { nextTurn } from "../../../src/base/waiting/next_turn.ts";
import { Shares } from "../../../src/base/waiting/shares.ts";
import { TooBusy } from "../../../src/base/waiting/turns.ts";
import { Random } from "../../simulation/random.ts";
import { stayAwake } from "./_stay_awake.ts";

const SEEDS = 40;
const ASKED = 200;
const OWNERS = ["a", "b", "c"];
const KEYS = 9;
const PLACES = 4;
const SLOW_AFTER_MS = 2;
/** All of it takes some thousands. */
const TURNS_MAX = 500_000;

/** As open pages of payers ask: many of them, of whom some leave, for a few looks. */
async function askAll(seed: number): Promise<void> {
  const random = new Random(seed);
  const below = (limit: number) => Math.floor(random.fraction() * limit);
  const atOnce = 1 + below(2);
  const shares = new Shares({ atOnce, waitMaxMs: 60_000, slowAfterMs: SLOW_AFTER_MS });
  const clock = { ms: 0, nowMs: () => clock.ms };
  const looks = new KeptLooks<number>(clock, { keysMax: 1 + below(KEYS) });
  const share = (owner: string) => ({ owner, max: PLACES, waitingMax: below(12) });
  /** Looks that wait for something else, until it comes. */
  const held: (() => void)[] = [];
  const look = async () => {
    const [kind, turns] = [random.fraction(), below(5)];
    if (kind < 0.1) await new Promise<void>((resolve) => held.push(resolve));
    for (let turn = 0; turn < turns; turn++) await nextTurn();
    if (kind > 0.8) throw new RangeError("It can't be looked at");
    return turns;
  };
  const ask = async () => {
    const owner = OWNERS[below(OWNERS.length)]!;
    const key = String(below(KEYS));
    const isLeaving = below(5) === 0;
    if (!isLeaving) {
      return await shares.run(
        [share(owner)],
        (place) => looks.of(key, () => place.turn(look)),
      );
    }
    const place = await shares.enter([share(owner)]);
    const left = looks.of(key, () => place.turn(look));
    place.leave();
    return await left;
  };
  const asked: Promise<number>[] = [];
  for (let i = 0; i < ASKED; i++) {
    asked.push(ask());
    asked.at(-1)!.catch(() => {});
    for (let turn = below(4); turn > 0; turn--) await nextTurn();
    clock.ms += below(300) - (below(20) === 0 ? 1_000 : 0);
    if (below(3) === 0) held.splice(below(held.length), 1)[0]?.();
  }
  let areDone = false;
  const all = Promise.allSettled(asked).finally(() => areDone = true);
  for (let turns = 0; !areDone; turns++) {
    assert.ok(turns < TURNS_MAX, `${seed}: somebody is never answered`);
    await nextTurn();
    for (const release of held.splice(0)) release();
  }
  for (const end of await all) {
    const isExpected = end.status === "fulfilled" || end.reason instanceof RangeError ||
      end.reason instanceof TooBusy;
    assert.ok(isExpected, `${seed}: ${end.status === "rejected" && end.reason}`);
  }
  clock.ms += 10_000;
  for (let key = 0; key < KEYS; key++) {
    const again = looks.of(String(key), () => Promise.resolve(-1));
    assert.equal(await again, -1, `${seed}: an old look is kept for ever`);
  }
  // Everything was given back: every place is free, and nobody has a turn.
  for (const owner of OWNERS) {
    const whole = { owner, max: PLACES, waitingMax: 0 };
    const places = await Promise.all(Array.from({ length: PLACES }, () => shares.enter([whole])));
    await assert.rejects(shares.enter([whole]), TooBusy, `${seed}`);
    assert.equal(await places[0]!.turn(() => Promise.resolve(7)), 7);
    for (const { leave } of places) leave();
  }
}

Deno.test("whoever asks, fails, hangs or leaves: everybody is answered, and every place is given back", async () => {
  using _awake = stayAwake();
  for (let seed = 1; seed <= SEEDS; seed++) await askAll(seed);
});
