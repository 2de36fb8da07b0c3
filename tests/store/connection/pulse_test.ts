import assert from "node:assert/strict";
import { NoAnswer } from "../../../src/store/connection/answer_limits.ts";
import type { Answer, Connection } from "../../../src/store/connection/connection.ts";
import { writeFaultOf } from "../../../src/store/connection/faults.ts";
import { PULSE, Pulse } from "../../../src/store/connection/pulse.ts";

const QUICK = { askAfterMs: 1, answerMs: 1, hopeMs: 1 };
const ANSWER: Answer[] = [{ rows: [{ n: 1 }] }];

/** The limits keep no program alive: a real question does. */
let alive: ReturnType<typeof setInterval>;
Deno.test.beforeAll(() => void (alive = setInterval(() => {}, 1_000)));
Deno.test.afterAll(() => clearInterval(alive));

/** Every question waits until it is answered. */
function held() {
  const asked: PromiseWithResolvers<readonly Answer[]>[] = [];
  const connection: Connection = {
    batch: () => {
      const question = Promise.withResolvers<readonly Answer[]>();
      asked.push(question);
      return question.promise;
    },
  };
  return { asked, connection };
}

Deno.test("an answer that takes long is waited for while the database answers others", async () => {
  const { asked, connection } = held();
  let looks = 0;
  const pulse = new Pulse(() => {
    if (++looks === 3) asked[0]!.resolve(ANSWER);
    return Promise.resolve();
  }, QUICK);
  assert.equal(await pulse.over(connection).batch([], "write"), ANSWER);
  assert.equal(looks, 3);
});

Deno.test("when nothing is answered, all who wait are told at once, and what was sent is lost", async () => {
  const { asked, connection } = held();
  let looks = 0;
  const pulse = new Pulse(() => {
    looks++;
    return new Promise(() => {});
  }, QUICK);
  const over = pulse.over(connection);
  const waiting = [over.batch([], "read"), over.batch([], "write")];
  for (const { status, reason } of await Promise.allSettled(waiting) as PromiseRejectedResult[]) {
    assert.equal(status, "rejected");
    assert.ok(reason instanceof NoAnswer);
    assert.equal(writeFaultOf(reason)?.kind, "lost");
  }
  assert.equal(looks, 1);
  // Later questions aren't sent before it answers again.
  await assert.rejects(over.batch([], "read"), NoAnswer);
  assert.equal(asked.length, 2);
});

Deno.test("once the database answers again, the next question is sent", async () => {
  const { asked, connection } = held();
  let isThere = false;
  const pulse = new Pulse(() => isThere ? Promise.resolve() : Promise.reject(new Error("gone")), {
    ...QUICK,
    hopeMs: 10_000,
  });
  const over = pulse.over(connection);
  await assert.rejects(over.batch([], "read"), NoAnswer);
  isThere = true;
  const again = over.batch([], "read");
  await Promise.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(asked.length, 2);
  asked[1]!.resolve(ANSWER);
  assert.equal(await again, ANSWER);
});

Deno.test("contract 1: whoever asks a database that stands still is told within five seconds", () => {
  assert.ok(PULSE.askAfterMs + PULSE.answerMs < 4_000);
  assert.ok(PULSE.hopeMs < PULSE.answerMs);
});
