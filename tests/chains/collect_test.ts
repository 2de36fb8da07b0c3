import assert from "node:assert/strict";
import { type CollectOrder, FirstOnes } from "../../src/chains/collect.ts";

const MINUTE_MS = 60_000;

function order(from: string, changes: Partial<CollectOrder> & { nativeRaw?: bigint } = {}) {
  const { nativeRaw = 0n, ...rest } = changes;
  const held = { height: 1, nativeRaw, tokensRaw: new Map() };
  const usual = { to: "R", contract: "T", amountRaw: 1n, receiverHoldsRaw: 0n, price: {} };
  return { from, held, ...usual, ...rest };
}

Deno.test("of those that bring a receiver its first tokens one goes ahead: who has most coins", () => {
  const firsts = new FirstOnes({ nowMs: () => 0 });
  const orders = [order("A"), order("B", { nativeRaw: 5n }), order("C")];
  assert.deepEqual(firsts.rolesOf(orders), [
    { kind: "after", holder: "B" },
    { kind: "first" },
    { kind: "after", holder: "A" },
  ]);
});

Deno.test("coins, and tokens of which the receiver has some, wait for nobody", () => {
  const firsts = new FirstOnes({ nowMs: () => 0 });
  const orders = [
    order("A", { contract: null }),
    order("B", { receiverHoldsRaw: 1n }),
    order("C", { to: "S" }),
    order("D", { contract: "U" }),
  ];
  const kinds = firsts.rolesOf(orders).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["usual", "usual", "first", "first"]);
});

Deno.test("who goes ahead stays it until a minute after its signing, or five after its gas was sent", () => {
  let nowMs = 0;
  const firsts = new FirstOnes({ nowMs: () => nowMs });
  const [a, b, c] = [order("A"), order("B", { nativeRaw: 9n }), order("C")];
  const kindsOf = (...orders: CollectOrder[]) => firsts.rolesOf(orders).map(({ kind }) => kind);
  firsts.note(a, "fuel");
  assert.deepEqual(kindsOf(b, c), ["after", "after"]);
  nowMs = 4 * MINUTE_MS;
  assert.deepEqual(kindsOf(b, a), ["after", "first"]);
  firsts.note(a, "ready");
  nowMs += MINUTE_MS - 1;
  assert.deepEqual(kindsOf(b, c), ["after", "after"]);
  nowMs += 1;
  assert.deepEqual(kindsOf(b, c), ["first", "after"]);
  assert.deepEqual(firsts.rolesOf([c]), [{ kind: "first" }]);
});
