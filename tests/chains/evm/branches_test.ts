import assert from "node:assert/strict";
import { type Ballot, sortBranches } from "../../../src/chains/pool/branches.ts";
import { hashAt, type Head } from "../../../src/chains/pool/head.ts";

/** A branch is named by a letter: block 7 of branch b has the hash b7. */
function ballot(
  order: number,
  { branch, height, asked = [], isContradicted = false }: {
    branch: string;
    height: number;
    asked?: number[];
    isContradicted?: boolean;
  },
): Ballot {
  const hashes = new Map(asked.map((at) => [at, at > height ? null : `${branch}${at}`]));
  const ref = { height, hash: `${branch}${height}`, parentHash: `${branch}${height - 1}` };
  const head: Head = { ...ref, atMs: 0, finalized: null, hashes };
  return { order, head, isContradicted, isLate: false };
}

function ordersOf(
  ballots: readonly Ballot[],
  heights: readonly number[],
  followed?: { height: number; hash: string },
): number[] {
  return sortBranches(ballots, { heights, followed }).map(({ order }) => order);
}

Deno.test("the majority's branch wins, wherever it is listed and however long the other one is", () => {
  for (const liar of [0, 1, 2]) {
    const ballots = [0, 1, 2].map((order) =>
      ballot(order, {
        branch: order === liar ? "x" : "a",
        height: order === liar ? 90 : 10,
        asked: [9],
      })
    );
    assert.deepEqual(ordersOf(ballots, [9]), [0, 1, 2].filter((order) => order !== liar));
  }
});

Deno.test("an endpoint without a block at a height has no vote there and isn't dropped", () => {
  const behind = ballot(0, { branch: "a", height: 4, asked: [9] });
  const ballots = [
    behind,
    ballot(1, { branch: "a", height: 9 }),
    ballot(2, { branch: "a", height: 10 }),
  ];
  assert.deepEqual(ordersOf(ballots, [9]), [0, 1, 2]);
});

Deno.test("on a tie the followed branch stays, and without one the operator's order decides", () => {
  const ballots = [ballot(0, { branch: "x", height: 9 }), ballot(1, { branch: "a", height: 9 })];
  assert.deepEqual(ordersOf(ballots, [9]), [0]);
  assert.deepEqual(ordersOf(ballots, [9], { height: 9, hash: "a9" }), [1]);
});

Deno.test("a contradicted endpoint decides nothing alone, but counts together with another", () => {
  const alone = ballot(0, { branch: "b", height: 9, isContradicted: true });
  assert.deepEqual(ordersOf([alone], [9]), []);
  const joined = ballot(1, { branch: "b", height: 9 });
  const old = ballot(2, { branch: "a", height: 9 });
  assert.deepEqual(ordersOf([alone, joined, old], [9], { height: 9, hash: "a9" }), [0, 1]);
  assert.deepEqual(ordersOf([alone, old], [9]), [2]);
});

Deno.test("lower heights are decided first, and whoever loses there has no vote above", () => {
  const ballots = [
    ballot(0, { branch: "x", height: 12, asked: [5, 10] }),
    ballot(1, { branch: "a", height: 10, asked: [5] }),
    ballot(2, { branch: "a", height: 5 }),
  ];
  assert.deepEqual(ordersOf(ballots, [5, 10, 12]), [1, 2]);
});

Deno.test("a head knows its own and its parent's hash, null above, and nothing that wasn't asked", () => {
  const { head } = ballot(0, { branch: "a", height: 9, asked: [3] });
  assert.deepEqual([10, 9, 8, 7, 3].map((at) => hashAt(head, at)), [
    null,
    "a9",
    "a8",
    undefined,
    "a3",
  ]);
});
