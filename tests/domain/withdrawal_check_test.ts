import assert from "node:assert/strict";
import { Amount } from "../../src/domain/money/amount.ts";
import type { RefusalCode } from "../../src/domain/refusal.ts";
import {
  refusalOfWithdrawal,
  type WithdrawalCheck,
} from "../../src/withdrawals/rules/withdrawal_check.ts";

const ASSET = "ETH/USDT";
const money = (text: string) => Amount.parse(text, ASSET);

const ACCEPTABLE: WithdrawalCheck = {
  isNetworkActive: true,
  isCurrencyActive: true,
  isEnabled: true,
  isAddress: true,
  isPaused: false,
  isSuspended: false,
  isStopped: false,
  amount: money("5"),
  minimum: money("5"),
  fee: money("0.025"),
  available: money("5.025"),
};

/** In the order of contract 1: each is refused before all that follow it. */
const FAULTS: readonly (readonly [RefusalCode, Partial<WithdrawalCheck>])[] = [
  ["network_not_found", { isNetworkActive: false }],
  ["currency_not_found", { isCurrencyActive: false }],
  ["withdrawals_disabled", { isEnabled: false }],
  ["invalid_address", { isAddress: false }],
  ["amount_below_minimum", { minimum: money("5.000001") }],
  ["currency_paused", { isPaused: true }],
  ["insufficient_balance", { available: money("5.024999") }],
  ["account_suspended", { isSuspended: true }],
  ["withdrawals_paused", { isStopped: true }],
];

Deno.test("a withdrawal without faults isn't refused", () => {
  assert.equal(refusalOfWithdrawal(ACCEPTABLE), undefined);
});

for (const [i, [code, fault]] of FAULTS.entries()) {
  Deno.test(`a withdrawal whose only fault is ${code} is refused for it`, () => {
    assert.equal(refusalOfWithdrawal({ ...ACCEPTABLE, ...fault }), code);
  });

  Deno.test(`contract 1: a withdrawal with ${code} and every later fault is refused for ${code}`, () => {
    const faults = FAULTS.slice(i).map(([, each]) => each);
    assert.equal(refusalOfWithdrawal(Object.assign({}, ACCEPTABLE, ...faults)), code);
  });
}

Deno.test("of any combination of faults the first in the contract's order is reported", () => {
  for (let mask = 0; mask < 2 ** FAULTS.length; mask++) {
    const present = FAULTS.filter((_, i) => mask & 1 << i);
    const check = Object.assign({}, ACCEPTABLE, ...present.map(([, fault]) => fault));
    assert.equal(refusalOfWithdrawal(check), present[0]?.[0], mask.toString(2));
  }
});

Deno.test("checkout: a refund of dust is refused unless it gives back all that is left", () => {
  const asked = (amount: string, room: string, more: Partial<WithdrawalCheck> = {}) =>
    refusalOfWithdrawal({
      ...{ ...ACCEPTABLE, minimum: money("0"), isDust: true },
      ...{ amount: money(amount), room: money(room), ...more },
    });
  assert.equal(asked("0.01", "0.02"), "refund_too_small");
  assert.equal(asked("0.01", "0.01"), undefined);
  assert.equal(asked("0.03", "0.02"), "refund_too_high");
  assert.equal(asked("0.01", "0.02", { isSuspended: true }), "account_suspended");
  assert.equal(asked("0.01", "0.02", { isDust: false }), undefined);
  assert.equal(refusalOfWithdrawal({ ...ACCEPTABLE, isDust: true }), undefined);
});

Deno.test("contract 1: an amount of zero is below the minimum even if the minimum is zero", () => {
  const zero = { ...ACCEPTABLE, amount: money("0"), minimum: money("0"), fee: money("0") };
  assert.equal(refusalOfWithdrawal(zero), "amount_below_minimum");
});

Deno.test("spec 4.6: an amount that rounds to zero on the chain is below the minimum", () => {
  const amount = money("0.0000009").truncatedTo(6);
  const check = { ...ACCEPTABLE, amount, minimum: money("0"), fee: money("0") };
  assert.equal(refusalOfWithdrawal(check), "amount_below_minimum");
});

Deno.test("the available balance must cover amount and fee to the last digit", () => {
  const fee = money("0.000000000000000000000001");
  const exact = { ...ACCEPTABLE, fee, available: money("5.000000000000000000000001") };
  assert.equal(refusalOfWithdrawal(exact), undefined);
  assert.equal(
    refusalOfWithdrawal({ ...exact, available: money("5.000000000000000000000000999") }),
    "insufficient_balance",
  );
});

Deno.test("a refund above its room is refused before the balance, unless the account is suspended", () => {
  const check = { ...ACCEPTABLE, room: money("4.999999"), isPaused: true, available: money("0") };
  assert.equal(refusalOfWithdrawal(check), "refund_too_high");
  assert.equal(refusalOfWithdrawal({ ...check, isSuspended: true }), "account_suspended");
  assert.equal(refusalOfWithdrawal({ ...check, isAddress: false }), "invalid_address");
  assert.equal(refusalOfWithdrawal({ ...ACCEPTABLE, room: money("5") }), undefined);
});
