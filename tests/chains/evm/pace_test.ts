import assert from "node:assert/strict";
import {
  type Lane,
  Pace,
  PER_SECOND_AT_FIRST,
  PER_SECOND_MAX,
} from "../../../src/chains/pool/pace.ts";
import { RpcFailure, RpcReplyError } from "../../../src/chains/pool/node_errors.ts";

/** Time passes only by waiting. */
function makePace() {
  let nowMs = 1_000_000;
  const waits: number[] = [];
  const clock = { nowMs: () => nowMs };
  const sleep = async (ms: number) => {
    waits.push(ms);
    const untilMs = nowMs + ms;
    await new Promise((resolve) => setTimeout(resolve));
    nowMs = Math.max(nowMs, untilMs);
  };
  const pace = new Pace({ host: "node.test", clock, sleep });
  return { pace, waits, clock, pass: (ms: number) => void (nowMs += ms) };
}

const tooMany = (retryAfterMs?: number) =>
  new RpcFailure("rate_limited", "slow down", retryAfterMs);

/** The number of requests that go out before one has to wait. */
async function goAtOnce({ pace, waits }: ReturnType<typeof makePace>, lane: Lane) {
  const waited = waits.length;
  for (let sent = 0;; sent++) {
    await pace.run(lane, () => Promise.resolve());
    if (waits.length > waited) return sent;
  }
}

Deno.test("an endpoint that never complains is asked as often as the budget allows", async () => {
  const made = makePace();
  assert.equal(await goAtOnce(made, "urgent"), PER_SECOND_AT_FIRST);
  made.pass(900);
  assert.ok(await goAtOnce(made, "urgent") <= PER_SECOND_AT_FIRST);
});

Deno.test("an endpoint that never complains is asked more as needed, up to the maximum", async () => {
  const made = makePace();
  const rates: number[] = [];
  for (let second = 0; second < 15; second++) {
    rates.push(await goAtOnce(made, "urgent"));
    made.pass(1_000);
  }
  assert.ok(rates.every((rate, i) => i === 0 || rate >= rates[i - 1]!), `${rates}`);
  assert.ok(rates[5]! >= 2 * PER_SECOND_AT_FIRST, `${rates}`);
  assert.equal(rates.at(-1), PER_SECOND_MAX);
});

Deno.test("an endpoint that complained of a rate isn't asked that often again for a while", async () => {
  const made = makePace();
  for (let second = 0; second < 6; second++) {
    await goAtOnce(made, "urgent");
    made.pass(1_000);
  }
  const tooOften = 1.4 * await goAtOnce(made, "urgent");
  const complaints = [tooMany()];
  await made.pace.run("urgent", () => {
    const complaint = complaints.pop();
    return complaint ? Promise.reject(complaint) : Promise.resolve();
  });
  made.pass(1_000);
  assert.ok(await goAtOnce(made, "urgent") <= 0.76 * tooOften);
  made.pass(10_000);
  const later = await goAtOnce(made, "urgent");
  assert.ok(later >= 0.7 * tooOften && later <= 0.8 * tooOften, `${later} of ${tooOften}`);
});

Deno.test("a scan leaves a quarter of the budget, so a payment doesn't wait behind it", async () => {
  const made = makePace();
  const scanned = await goAtOnce(made, "bulk");
  assert.ok(
    scanned <= 0.76 * PER_SECOND_AT_FIRST && scanned >= 0.74 * PER_SECOND_AT_FIRST,
    `${scanned}`,
  );
  assert.ok(await goAtOnce(made, "urgent") >= 0.24 * PER_SECOND_AT_FIRST);
});

Deno.test("each complaint halves the rate, which recovers after a while", async () => {
  const made = makePace();
  const complain = () => made.pace.run("urgent", () => Promise.reject(tooMany()));
  await assert.rejects(complain(), /slow down/);
  assert.deepEqual(made.waits, [100, 200], "three tries, and a longer pause before each");
  made.pass(1_000);
  const slow = await goAtOnce(made, "urgent");
  assert.ok(
    slow > PER_SECOND_AT_FIRST / 8 && slow < PER_SECOND_AT_FIRST / 4,
    `${slow} after three halvings`,
  );
  made.pass(60_000);
  const later = await goAtOnce(made, "urgent");
  assert.ok(later >= PER_SECOND_AT_FIRST && later <= 1.05 * PER_SECOND_AT_FIRST, `${later}`);
});

Deno.test("many complaints about one burst count once", async () => {
  const made = makePace();
  const tries = new Map<number, number>();
  await Promise.all(Array.from({ length: 50 }, (_, i) =>
    made.pace.run("urgent", async () => {
      tries.set(i, (tries.get(i) ?? 0) + 1);
      await Promise.resolve();
      if (tries.get(i) === 1) throw tooMany();
    })));
  made.pass(1_000);
  const later = await goAtOnce(made, "urgent");
  assert.ok(later >= PER_SECOND_AT_FIRST / 2, `${later}: halved once, not fifty times`);
});

Deno.test("a requested pause is kept, and callers who can't wait that long fail at once", async () => {
  const made = makePace();
  let sent = 0;
  const ask = () =>
    made.pace.run("urgent", () => {
      sent++;
      return sent === 1 ? Promise.reject(tooMany(1_500)) : Promise.resolve("answer");
    });
  assert.equal(await ask(), "answer");
  assert.deepEqual(made.waits, [1_500]);
  const refused = () => made.pace.run("urgent", () => Promise.reject(tooMany(30_000)));
  await assert.rejects(refused, /a pause, of which 30000 ms are left/);
  await assert.rejects(ask, (error) => error instanceof RpcFailure && error.kind === "unsent");
  assert.equal(sent, 2, "nothing was sent in the pause");
  made.pass(30_000);
  assert.equal(await ask(), "answer");
});

Deno.test("an error code for too many requests is a complaint, other errors are not", async () => {
  for (const [code, sends] of [[-32005, 3], [429, 3], [-32601, 1], [-32000, 1]] as const) {
    let sent = 0;
    const error = new RpcReplyError("node.test", { text: "no", code });
    const ask = () =>
      makePace().pace.run("urgent", () => {
        sent++;
        return Promise.reject(error);
      });
    await assert.rejects(ask, error);
    assert.equal(sent, sends, String(code));
  }
});

Deno.test("bytes that were sent once are never called unsent, after a pause or a broken connection", async () => {
  const made = makePace();
  await assert.rejects(made.pace.run("urgent", () => Promise.reject(tooMany(30_000))), {
    kind: "connection",
  });
  await assert.rejects(made.pace.run("urgent", () => Promise.resolve()), { kind: "unsent" });
  made.pass(30_000);
  const answers = [tooMany(1_000), new RpcFailure("unsent", "nobody listens")];
  const sends = made.pace.run("urgent", () => Promise.reject(answers.shift()));
  await assert.rejects(sends, { kind: "connection", message: "nobody listens" });
});
