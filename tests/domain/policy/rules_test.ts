import assert from "node:assert/strict";
import { Amount } from "../../../src/domain/money/amount.ts";
import {
  approvalTerms,
  type Facts,
  judge,
  type Payment,
  refusingRule,
  type Rule,
  WINDOWS,
} from "../../../src/policies/rules/rules.ts";

const PAYMENT: Payment = {
  accountId: 1,
  keyId: "k1",
  network: "ETH",
  currency: "USDT",
  recipient: "0xaa",
  amount: "10",
};

function makeRule(options: Partial<Rule> = {}): Rule {
  return {
    ...{ id: 1, label: "rule", accountId: null, keyId: null, network: null, currency: null },
    ...{ each: null, condition: "always", cap: null, outcome: "refuse", approvals: 1 },
    expiresMs: 86_400_000,
    ...options,
  };
}

const total = (amount: string, count: number) => ({ amount: Amount.parse(amount, ""), count });

function makeFacts(options: Partial<Facts> = {}): Facts {
  return {
    payment: PAYMENT,
    isPayee: false,
    totalOf: () => total("0", 0),
    ...options,
  };
}

const outcomeOf = (rules: readonly Rule[], facts: Partial<Facts> = {}) =>
  judge(rules, makeFacts(facts)).outcome;

Deno.test("without rules everything is allowed", () => {
  assert.deepEqual(judge([], makeFacts()), { outcome: "allow", matching: [] });
});

Deno.test("each condition matches above its limit and not at it", () => {
  const before = (amount: string, count: number) => ({ totalOf: () => total(amount, count) });
  const cases: [Partial<Rule>, Partial<Facts>, boolean][] = [
    [{ condition: "max_payment", cap: "10" }, {}, false],
    [{ condition: "max_payment", cap: "9.999999999999999999" }, {}, true],
    [{ condition: "max_hour", cap: "10" }, before("0", 0), false],
    [{ condition: "max_hour", cap: "10" }, before("0.000000000000000001", 0), true],
    [{ condition: "max_day", cap: "30" }, before("20", 9), false],
    [{ condition: "max_day", cap: "30" }, before("20.1", 9), true],
    [{ condition: "max_week", cap: "30" }, before("20.1", 9), true],
    [{ condition: "max_count_hour", cap: "3" }, before("0", 2), false],
    [{ condition: "max_count_hour", cap: "3" }, before("0", 3), true],
    [{ condition: "max_count_day", cap: "1" }, before("0", 1), true],
    [{ condition: "only_payees" }, { isPayee: true }, false],
    [{ condition: "only_payees" }, { isPayee: false }, true],
    [{ condition: "always" }, {}, true],
  ];
  for (const [rule, facts, isMatching] of cases) {
    const expected = isMatching ? "refuse" : "allow";
    assert.equal(outcomeOf([makeRule(rule)], facts), expected, JSON.stringify(rule));
  }
});

Deno.test("each condition asks for the total of its own window", () => {
  const asked: number[] = [];
  const totalOf = (_: Rule, windowMs: number) => {
    asked.push(windowMs);
    return total("0", 0);
  };
  const conditions = [
    "max_hour",
    "max_day",
    "max_week",
    "max_count_hour",
    "max_count_day",
  ] as const;
  for (const condition of conditions) outcomeOf([makeRule({ condition, cap: "1" })], { totalOf });
  const { hour, day, week } = WINDOWS;
  assert.deepEqual(asked, [hour, day, week, hour, day]);
  assert.deepEqual([hour, day, week], [3_600_000, 86_400_000, 604_800_000]);
});

Deno.test("a rule is only about payments of its account, key, network and currency", () => {
  const scopes: [Partial<Rule>, Partial<Rule>][] = [
    [{ accountId: 1 }, { accountId: 2 }],
    [{ keyId: "k1" }, { keyId: "k2" }],
    [{ network: "ETH" }, { network: "TRX" }],
    [{ currency: "USDT" }, { currency: "ETH" }],
  ];
  for (const [own, other] of scopes) {
    assert.equal(outcomeOf([makeRule(own)]), "refuse");
    assert.equal(outcomeOf([makeRule(other)]), "allow");
  }
});

Deno.test("the strictest outcome wins, and the lowest refusing policy_id is named", () => {
  const rules = [
    makeRule({ id: 4, label: "four" }),
    makeRule({ id: 1, label: "one", outcome: "approve" }),
    makeRule({ id: 3, label: "three" }),
    makeRule({ id: 2, label: "two", condition: "max_payment", cap: "10" }),
  ];
  const verdict = judge(rules, makeFacts());
  assert.equal(verdict.outcome, "refuse");
  assert.deepEqual(verdict.matching.map(({ id }) => id), [1, 3, 4]);
  assert.equal(refusingRule(verdict)?.label, "three");
  assert.equal(outcomeOf(rules.slice(1, 2)), "approve");
});

Deno.test("several approvals: the most people, in the shortest time", () => {
  const approve = (id: number, approvals: number, expiresMs: number) =>
    makeRule({ id, outcome: "approve", approvals, expiresMs });
  const verdict = judge([approve(1, 2, 500), approve(2, 3, 900)], makeFacts());
  assert.deepEqual(approvalTerms(verdict), { needed: 3, expiresMs: 500 });
});

Deno.test("a limit in another currency compares values, and matches if there is no rate", () => {
  const rule = makeRule({ condition: "max_day", cap: "30", quote: "USD" });
  const before = { totalOf: () => total("20", 1) };
  const outcome = (payment: Partial<Payment>, one = rule) =>
    outcomeOf([one], { ...before, payment: { ...PAYMENT, ...payment } });
  assert.equal(outcome({ values: { USD: "10" } }), "allow");
  assert.equal(outcome({ values: { USD: "10.000000000000000001" } }), "refuse");
  assert.equal(outcome({ values: { USD: "10" }, valuesNow: { USD: "99" } }), "allow");
  assert.equal(outcome({ values: {}, valuesNow: { USD: "99" } }), "refuse");
  assert.equal(outcome({ values: { EUR: "1" } }), "refuse");
  assert.equal(outcome({}), "refuse");
  const large = { ...rule, condition: "max_payment" } as const;
  assert.equal(outcome({ values: { USD: "30" } }, large), "allow");
  assert.equal(outcome({ values: { USD: "31" } }, large), "refuse");
  assert.equal(outcome({}, large), "refuse");
  assert.equal(outcome({ currency: "ETH" }, { ...rule, currency: "USDT" }), "allow");
});
