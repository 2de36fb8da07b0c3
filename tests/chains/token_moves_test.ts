import assert from "node:assert/strict";
import { isBorneOut } from "../../src/chains/token_moves.ts";

Deno.test("a logged transfer is borne out by a loss of half of it, and not by interest or rounding", () => {
  const whole = { amountRaw: 100n, loggedRaw: 100n };
  for (const lostRaw of [100n, 99n, 101n, 50n, 1_000n]) {
    assert.ok(isBorneOut(whole, lostRaw), `${lostRaw}`);
  }
  for (const lostRaw of [49n, 1n, 0n, -1n, -100n]) {
    assert.ok(!isBorneOut(whole, lostRaw), `${lostRaw}`);
  }
  const least = { amountRaw: 1n, loggedRaw: 1n };
  assert.deepEqual([isBorneOut(least, 1n), isBorneOut(least, 0n)], [true, false]);
});

Deno.test("a token that moves less than it was told to, or logs more than it moves, has moved", () => {
  assert.ok(isBorneOut({ amountRaw: 100n, loggedRaw: 30n }, 30n));
  assert.ok(isBorneOut({ amountRaw: 100n, loggedRaw: 1_000n }, 100n));
  assert.ok(!isBorneOut({ amountRaw: 100n, loggedRaw: 30n }, 0n));
});
