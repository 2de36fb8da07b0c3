import assert from "node:assert/strict";
import { type PastPayment, replay } from "../../../src/policies/rules/replay.ts";
import { isLooserRule } from "../../../src/policies/rules/looser.ts";
import type { Rule } from "../../../src/policies/rules/rules.ts";
import { ruleSentence } from "../../../src/policies/rules/sentence.ts";

const HOUR_MS = 3_600_000;
const RULE: Rule = {
  ...{ id: 1, label: "Limit", accountId: null, keyId: null, network: null, currency: "USDT" },
  ...{ each: null, condition: "max_day", cap: "100", outcome: "refuse" },
  ...{ approvals: 2, expiresMs: 24 * HOUR_MS },
};

function past(amount: string, atHours: number, more: Partial<PastPayment> = {}): PastPayment {
  const payment = {
    ...{ accountId: 1, keyId: "k", network: "ETH", currency: "USDT", recipient: "a", amount },
  };
  const atMs = atHours * HOUR_MS;
  return {
    ...{ payment, requestedAtMs: atMs, countedAtMs: atMs, counted: amount, isPayee: false },
    ...more,
  };
}

const outcomes = (rule: Rule, payments: PastPayment[], judgedMax = 100) =>
  replay(rule, payments, { judgedMax }).map(({ outcome }) => outcome);

Deno.test("a rule is tried on past payments, newest first, each with what counted before it", () => {
  const payments = [past("30", 30), past("60", 20), past("50", 10), past("60", 1)];
  assert.deepEqual(outcomes(RULE, payments), ["refuse", "refuse", "refuse", "allow"]);
  assert.deepEqual(outcomes(RULE, payments, 1), ["refuse"]);
  const ended = [past("30", 30), past("60", 20, { counted: null }), past("50", 10)];
  assert.deepEqual(outcomes(RULE, ended), ["allow", "refuse", "allow"], "one failed");
  const late = [past("30", 30), past("80", 1, { countedAtMs: 10 * HOUR_MS })];
  assert.deepEqual(outcomes(RULE, late), ["refuse", "allow"], "approved within the window");
  const other = { ...past("900", 1).payment, currency: "ETH" };
  assert.deepEqual(outcomes(RULE, [past("1", 2), past("900", 1, { payment: other })]), [
    "allow",
    "allow",
  ]);
  const payees: Rule = { ...RULE, condition: "only_payees", outcome: "approve" };
  assert.deepEqual(outcomes(payees, [past("1", 2, { isPayee: true }), past("1", 1)]), [
    "allow",
    "approve",
  ]);
});

Deno.test("a rule reads like a sentence", () => {
  const said = (change: Partial<Rule>) => ruleSentence({ ...RULE, ...change }, "Acme");
  assert.equal(
    said({}),
    "A payout in USDT is refused if it takes the total of 24 hours above 100 USDT.",
  );
  assert.equal(
    said({ accountId: 1, network: "ETH", keyId: "cpg_1", outcome: "approve", each: "recipient" }),
    "A payout in USDT on ETH of Acme requested with the key cpg_1 needs the approval of 2 people " +
      "within 24h if it takes the total of 24 hours above 100 USDT, counted separately for each " +
      "recipient.",
  );
  const inUsd = { currency: null, quote: "USD", condition: "max_payment" } as const;
  assert.equal(said(inUsd), "A payout is refused if it is worth more than $100.00.");
  assert.equal(
    said({ condition: "max_count_hour", cap: "3" }),
    "A payout in USDT is refused if there are more than 3 in an hour.",
  );
  const always = { condition: "always", currency: null, outcome: "approve", approvals: 1 } as const;
  assert.equal(said(always), "Every payout needs the approval of one person within 24h.");
});

Deno.test("a rule that stops less, or for a shorter time, is looser", () => {
  const looser = (change: Partial<Rule>) => isLooserRule(RULE, { ...RULE, ...change });
  assert.deepEqual([looser({ cap: "100.1" }), looser({ cap: "99" })], [true, false]);
  assert.deepEqual([looser({ outcome: "approve" }), looser({ label: "x" })], [true, false]);
  const asks: Rule = { ...RULE, outcome: "approve" };
  assert.equal(isLooserRule(asks, { ...asks, approvals: 1 }), true);
  assert.equal(isLooserRule(asks, { ...asks, expiresMs: 25 * HOUR_MS }), true);
  assert.equal(isLooserRule(asks, { ...asks, approvals: 3, expiresMs: HOUR_MS }), false);
  assert.equal(isLooserRule(asks, RULE), false);
});
