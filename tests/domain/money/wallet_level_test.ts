import assert from "node:assert/strict";
import { Amount } from "../../../src/domain/money/amount.ts";
import {
  isRefilled,
  levelOf,
  missingOf,
  worstLevel,
} from "../../../src/wallets/rules/wallet_level.ts";

const amount = (text: string) => Amount.parse(text, "ETH/ETH");

for (
  const [held, needed, target, isWanted, level, missing] of [
    ["0", "0", "0", true, "empty", "0"],
    ["0", "0", "0", false, "ok", "0"],
    ["0", "2", "0", false, "empty", "2"],
    ["1.9", "2", "0", true, "low", "0.1"],
    ["2", "2", "0", true, "ok", "0"],
    ["4.9", "0", "10", true, "low", "5.1"],
    ["5", "0", "10", true, "ok", "5"],
    [null, "2", "10", true, "unknown", "10"],
    ["3", "4", "5", true, "low", "2"],
  ] as const
) {
  Deno.test(`a wallet with ${held} that needs ${needed} and has the target ${target} is ${level}`, () => {
    const stock = {
      held: held === null ? undefined : amount(held),
      needed: amount(needed),
      target: amount(target),
      usual: amount("0"),
      isWanted,
    };
    assert.equal(levelOf(stock), level);
    assert.equal(missingOf(stock).toString(), missing);
  });
}

for (
  const [held, usual, level, refilled] of [
    ["49", "100", "low", false],
    ["50", "100", "ok", false],
    ["75", "100", "ok", true],
    ["0", "100", "empty", false],
    [null, "100", "unknown", false],
  ] as const
) {
  Deno.test(`a wallet with ${held} of which ${usual} are paid in a day is ${level}`, () => {
    const none = { needed: amount("0"), target: amount("0"), isWanted: true };
    const stock = { ...none, held: held === null ? undefined : amount(held), usual: amount(usual) };
    assert.equal(levelOf(stock), level);
    assert.equal(isRefilled(stock), refilled);
  });
}

Deno.test("a wallet is as low as the worst of its holdings", () => {
  assert.equal(worstLevel(["ok", "low", "unknown"]), "low");
  assert.equal(worstLevel(["ok", "empty", "halted"]), "halted");
  assert.equal(worstLevel([]), "ok");
});
