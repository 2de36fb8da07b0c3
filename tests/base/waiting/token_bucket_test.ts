import assert from "node:assert/strict";
import { fullBucket, takeToken, type TokenBucket } from "../../../src/base/waiting/token_bucket.ts";
import { seededRandom } from "../../domain/random.ts";

const AT_MS = 1_767_225_600_000;

function emptied(perMinute: number): TokenBucket {
  const bucket = fullBucket(perMinute, AT_MS);
  for (let i = 0; i < perMinute; i++) {
    assert.equal(takeToken(bucket, perMinute, AT_MS).isAllowed, true);
  }
  return bucket;
}

Deno.test("contract 3: a full bucket gives a minute's worth at once and then refuses", () => {
  const bucket = fullBucket(3, AT_MS);
  const taken = [1, 2, 3, 4].map(() => takeToken(bucket, 3, AT_MS));
  assert.deepEqual(taken.map((each) => each.isAllowed), [true, true, true, false]);
  assert.deepEqual(taken.map((each) => each.remaining), [2, 1, 0, 0]);
  assert.deepEqual(taken.map((each) => each.fullInS), [20, 40, 60, 60]);
});

Deno.test("a token returns after its share of the minute and not a millisecond earlier", () => {
  const bucket = emptied(60);
  assert.equal(takeToken(bucket, 60, AT_MS + 999).isAllowed, false);
  assert.equal(takeToken(bucket, 60, AT_MS + 1000).isAllowed, true);
  assert.equal(takeToken(bucket, 60, AT_MS + 1000).isAllowed, false);
});

Deno.test("an untouched bucket never holds more than a minute's worth", () => {
  const bucket = fullBucket(5, AT_MS);
  const day = AT_MS + 86_400_000;
  const taken = Array.from({ length: 6 }, () => takeToken(bucket, 5, day).isAllowed);
  assert.deepEqual(taken, [true, true, true, true, true, false]);
});

Deno.test("a refused caller who waits as long as told is let in", () => {
  for (const perMinute of [1, 3, 7, 49, 59, 60, 61, 100, 600, 997, 100_000]) {
    const bucket = emptied(perMinute);
    const refused = takeToken(bucket, perMinute, AT_MS);
    assert.equal(refused.isAllowed, false);
    assert.ok(refused.retryAfterS >= 1 && Number.isInteger(refused.retryAfterS));
    const later = takeToken(bucket, perMinute, AT_MS + 1000 * refused.retryAfterS);
    assert.equal(later.isAllowed, true, `${perMinute} a minute, after ${refused.retryAfterS} s`);
  }
});

Deno.test("a caller who asks every few milliseconds gets what the minute allows and no more", () => {
  for (const seed of [41, 42, 43]) {
    const random = seededRandom(seed);
    const perMinute = random.pick([7, 60, 600]);
    const bucket = fullBucket(perMinute, AT_MS);
    let nowMs = AT_MS;
    let allowed = 0;
    while (nowMs < AT_MS + 600_000) {
      if (takeToken(bucket, perMinute, nowMs).isAllowed) allowed++;
      nowMs += 1 + random.below(20);
    }
    const expected = perMinute * 11;
    assert.ok(allowed <= expected && allowed >= expected - 1, `seed ${seed}: ${allowed}`);
  }
});

Deno.test("a clock that steps back gives nothing away", () => {
  const bucket = emptied(60);
  assert.equal(takeToken(bucket, 60, AT_MS - 3_600_000).isAllowed, false);
  assert.equal(takeToken(bucket, 60, AT_MS - 3_600_000 + 999).isAllowed, false);
});

Deno.test("a lowered limit applies at once to a bucket that was fuller", () => {
  const bucket = fullBucket(600, AT_MS);
  assert.equal(takeToken(bucket, 2, AT_MS).isAllowed, true);
  assert.equal(takeToken(bucket, 2, AT_MS).isAllowed, true);
  assert.equal(takeToken(bucket, 2, AT_MS).isAllowed, false);
});
