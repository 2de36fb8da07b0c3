import assert from "node:assert/strict";
import {
  chargedUntilMs,
  type Guess,
  type GuessRules,
  judgeGuess,
  proofRules,
  signInRules,
} from "../../src/access/rules/guess_limits.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Applies the rules as the gateway does, without its database. */
function book() {
  const spent = new Map<string, number>();
  return {
    spent,
    /** Zero: it may be looked at, and is counted. */
    wait: (rules: GuessRules, nowMs: number): number => {
      const verdict = judgeGuess(rules, (name) => spent.get(name), nowMs);
      if (!verdict.isAllowed) return verdict.retryAfterMs;
      for (const budget of verdict.charged) {
        spent.set(budget.name, chargedUntilMs(budget, spent.get(budget.name), nowMs));
      }
      for (const mark of rules.marks) spent.set(mark.name, nowMs + mark.everyMs);
      return 0;
    },
  };
}

const guess = (source: string, who = "ann", isKnown = false): Guess => ({
  who,
  source,
  site: source,
  isKnown,
});
const signIn = (...given: Parameters<typeof guess>) => signInRules(guess(...given));

/** The number of such guesses that are checked in a day if an attacker tries each second. */
function lookedAtInADay(rulesOf: (second: number) => GuessRules): number {
  const { wait } = book();
  let count = 0;
  for (let ms = 0; ms < DAY_MS; ms += 1_000) if (wait(rulesOf(ms / 1_000), ms) === 0) count++;
  return count;
}

Deno.test("the guesses of a day are bounded, wherever they come from and whomever they target", () => {
  assert.equal(lookedAtInADay(() => signIn("s")), 4 + 480, "one address at one login");
  assert.equal(lookedAtInADay(() => signIn("s", "ann", true)), 9 + 1_440, "where Ann has been");
  const manyNames = (second: number) => signIn("s", `name ${second}`);
  assert.equal(lookedAtInADay(manyNames), 39 + 21_600, "one address at all logins");
  const hundred = (second: number) => signIn(`s${second % 100}`);
  const byHundred = lookedAtInADay(hundred);
  assert.ok(byHundred <= 100 + 2_400 + 100 * 4, `a hundred addresses at one login: ${byHundred}`);
  const everNew = lookedAtInADay((second) => signIn(`s${second}`));
  assert.ok(everNew <= 100 + 2_400 + 21_600, `ever new addresses at one login: ${everNew}`);
  const site = { site: "2001:db8:1::/48", isKnown: false };
  const inOneSite = (second: number) =>
    signInRules({ ...site, who: `name ${second}`, source: `s${second}` });
  const { wait } = book();
  const atOnce = Array.from({ length: 2_000 }, (_, i) => wait(inOneSite(i), 0));
  assert.equal(atOnce.filter((ms) => ms === 0).length, 400, "an IPv6 /48 at all logins");
  const codes = (second: number) =>
    proofRules({ who: "ann", source: `s${second}`, isKnown: false });
  assert.equal(lookedAtInADay(codes), 7 + 720, "codes, from anywhere");
});

Deno.test("whoever waits as long as told gets in, and not a millisecond earlier", () => {
  for (const [rules, burst] of [[signIn("s"), 5], [signIn("s", "ann", true), 10]] as const) {
    const { wait } = book();
    let nowMs = 7;
    for (let i = 0; i < burst; i++) assert.equal(wait(rules, nowMs), 0);
    for (let i = 0; i < 50; i++) {
      const waitMs = wait(rules, nowMs);
      assert.ok(waitMs > 0);
      assert.equal(wait(rules, nowMs + waitMs - 1), 1);
      nowMs += waitMs;
      assert.equal(wait(rules, nowMs), 0);
    }
  }
});

Deno.test("however strangers guess, the owner's known places are unaffected", () => {
  const { wait, spent } = book();
  for (let i = 0; i < 10_000; i++) wait(signIn(`s${i % 500}`), i * 10);
  const alone = book();
  for (let i = 0; i < 20; i++) {
    const rules = signIn("home", "ann", true);
    assert.equal(wait(rules, 100_000 + i), alone.wait(rules, 100_000 + i));
  }
  assert.ok(spent.size > 0);
});

Deno.test("an owner on a journey gets in within four seconds of any flood, and mostly during it", () => {
  for (const sources of [1, 100, 1_000, 100_000]) {
    const { wait } = book();
    const endMs = 600_000;
    for (let ms = 0; ms < endMs; ms += 200) wait(signIn(`s${(ms / 200) % sources}`), ms);
    const waitMs = wait(signIn("hotel"), endMs);
    assert.ok(waitMs <= 4_000, `${sources} sources: ${waitMs} ms`);
    if (sources <= 100) assert.equal(waitMs, 0, `${sources} sources have all been there`);
    if (waitMs > 0) assert.equal(wait(signIn("hotel"), endMs + waitMs), 0);
  }
});

Deno.test("thirty-six wrong guesses at many names leave room for another user behind the same address", () => {
  const { wait } = book();
  for (let i = 0; i < 36; i++) assert.equal(wait(signIn("office", `name ${i}`), 0), 0);
  assert.equal(wait(signIn("office", "bob"), 0), 0);
  for (let i = 0; i < 1_000; i++) wait(signIn("office", `name ${i}`), 0);
  assert.equal(wait(signIn("office", "carl", true), 0), 0, "who has been there has their own");
  assert.ok(
    wait(signIn("office", "dora"), 0) <= 4_000,
    "and nobody waits for more than four seconds",
  );
});

Deno.test("a refused guess costs nothing and is never remembered", () => {
  const { wait, spent } = book();
  for (let i = 0; i < 100; i++) wait(signIn("s"), 0);
  const before = [...spent];
  for (let i = 0; i < 100; i++) assert.ok(wait(signIn("s"), 0) > 0);
  assert.deepEqual([...spent], before);
});

Deno.test("each guess leaves at most five names behind, for six hours at most", () => {
  const { wait, spent } = book();
  for (let i = 0; i < 300; i++) wait(signIn(`s${i}`), i * 4_000);
  assert.ok(spent.size <= 300 * 3 + 2);
  for (const endsAtMs of spent.values()) assert.ok(endsAtMs <= 300 * 4_000 + 6 * HOUR_MS);
});
