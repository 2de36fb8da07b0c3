import assert from "node:assert/strict";
import { Arrivals } from "../../../src/chains/pool/arrivals.ts";
import { seededRandom } from "../../domain/random.ts";

const BLOCKS = 300;
/** How often somebody notices that it is time. */
const TICK_MS = 50;
const UNCOUNTED = 30;

interface Chain {
  readonly blockMs: number;
  /** How much later than it should a block comes. */
  readonly lateMs: (block: number) => number;
}

/** Follows a chain as the arrivals say, or after this interval. */
function follow({ blockMs, lateMs }: Chain, intervalMs: number) {
  const made = Array.from({ length: BLOCKS }, (_, n) => 700 + n * blockMs + lateMs(n));
  const arrivals = new Arrivals();
  const waits: number[] = [];
  let seen = -1;
  let looks = 0;
  for (let nowMs = 0; seen < BLOCKS - 1;) {
    looks++;
    while (seen + 1 < BLOCKS && made[seen + 1]! <= nowMs) waits[++seen] = nowMs - made[seen]!;
    arrivals.note({ height: seen, askedAtMs: nowMs }, blockMs);
    const lookInMs = arrivals.lookInMs(nowMs, blockMs) ?? Infinity;
    nowMs = Math.ceil((nowMs + Math.min(intervalMs, lookInMs)) / TICK_MS) * TICK_MS;
  }
  const counted = waits.slice(UNCOUNTED).sort((a, b) => a - b);
  const at = (share: number) => counted[Math.floor(share * (counted.length - 1))]!;
  return { median: at(0.5), most: at(0.95), looks: looks / BLOCKS };
}

for (const [blockMs, intervalMs] of [[2_000, 5_000], [2_000, 60_000], [12_000, 15_000]] as const) {
  Deno.test(`blocks every ${blockMs} ms, polled every ${intervalMs} ms, are seen soon and cheaply`, () => {
    const { median, most, looks } = follow({ blockMs, lateMs: () => 0 }, intervalMs);
    assert.ok(median <= 100, `${median} ms`);
    assert.ok(most <= 200, `${most} ms`);
    assert.ok(looks <= 1.8, `${looks} looks at each`);
  });
}

Deno.test("blocks that come unevenly are seen soon, for some looks more", () => {
  const random = seededRandom(5);
  const late = Array.from({ length: BLOCKS }, () => random.below(400));
  const chain = { blockMs: 2_000, lateMs: (n: number) => late[n]! };
  const { median, most, looks } = follow(chain, 5_000);
  assert.ok(median <= 250, `${median} ms`);
  assert.ok(most <= 500, `${most} ms`);
  assert.ok(looks <= 2.5, `${looks} looks at each`);
});

Deno.test("a slot without a block costs some looks, and the next block is seen as soon as any", () => {
  let missing = 0;
  const late = Array.from({ length: BLOCKS }, (_, n) => n % 20 === 0 ? ++missing : missing);
  const { median, most, looks } = follow(
    { blockMs: 12_000, lateMs: (n) => 12_000 * late[n]! },
    60_000,
  );
  assert.ok(median <= 100, `${median} ms`);
  assert.ok(most <= 250, `${most} ms`);
  assert.ok(looks <= 2.2, `${looks} looks at each`);
});

Deno.test("a chain that stands still is asked as the operator wants, and so is one that is fast", () => {
  const arrivals = new Arrivals();
  arrivals.note({ height: 1, askedAtMs: 1_000 }, 2_000);
  assert.equal(arrivals.lookInMs(1_000, null), null);
  assert.equal(arrivals.lookInMs(1_000, 450), null);
  assert.ok(arrivals.lookInMs(1_000, 2_000)! <= 2_000);
  assert.equal(arrivals.lookInMs(9_000, 2_000), null);
});
