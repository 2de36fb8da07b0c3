import assert from "node:assert/strict";
import {
  type BlockRef,
  commonAncestor,
  judgeReorganisation,
  type Reorganisation,
} from "../../../src/following/rules/reorganisation.ts";
import { type Random, seededRandom } from "../random.ts";

const block = (height: number, hash: string, parentHash: string): BlockRef => ({
  height,
  hash,
  parentHash,
});

/** Blocks 5 to 7 of branch a. */
const KNOWN = [block(5, "a5", "a4"), block(6, "a6", "a5"), block(7, "a7", "a6")];

const FACTS = { remembered: KNOWN, startHeight: 1, finalHeight: null };

const CASES: readonly (readonly [
  what: string,
  hashes: Record<number, string>,
  facts: { startHeight?: number; finalHeight?: number },
  Reorganisation,
])[] = [
  ["all that we remember", { 5: "a5", 6: "a6", 7: "a7" }, {}, { kind: "contradiction" }],
  ["fewer blocks, none of them another", { 5: "a5" }, {}, { kind: "contradiction" }],
  ["no block that we remember", {}, {}, { kind: "contradiction" }],
  ["only other blocks", { 5: "b5", 6: "b6", 7: "b7" }, {}, { kind: "below_remembered", lowest: 5 }],
  ["only one other block", { 6: "b6" }, {}, { kind: "below_remembered", lowest: 5 }],
  [
    "only other blocks from the first one read",
    { 5: "b5", 6: "b6", 7: "b7" },
    { startHeight: 5 },
    { kind: "rewind", toHeight: 4 },
  ],
  [
    "another block where a final one was",
    { 5: "a5", 6: "b6", 7: "b7" },
    { finalHeight: 6 },
    { kind: "below_final", finalHeight: 6 },
  ],
  [
    "another block above the final one",
    { 5: "a5", 6: "b6", 7: "b7" },
    { finalHeight: 5 },
    { kind: "rewind", toHeight: 5 },
  ],
  [
    "only other blocks from the first one read, which was final",
    { 5: "b5" },
    { startHeight: 5, finalHeight: 5 },
    { kind: "below_final", finalHeight: 5 },
  ],
  ["another newest block", { 6: "a6", 7: "b7" }, {}, { kind: "rewind", toHeight: 6 }],
  ["no newest block, and another below it", { 5: "a5", 6: "b6" }, {}, {
    kind: "rewind",
    toHeight: 5,
  }],
];

for (const [what, hashes, facts, judged] of CASES) {
  Deno.test(`a node that has ${what} means ${judged.kind}`, () => {
    const hashAt = (height: number) => hashes[height];
    assert.deepEqual(judgeReorganisation({ ...FACTS, ...facts, hashAt }), judged);
  });
}

Deno.test("the common ancestor is the highest remembered block that the node still has", () => {
  const nodeHas = (hashes: Record<number, string>) => (height: number) => hashes[height];
  assert.equal(commonAncestor(KNOWN, nodeHas({ 5: "a5", 6: "a6", 7: "b7" })), KNOWN[1]);
  assert.equal(commonAncestor(KNOWN, nodeHas({ 5: "a5", 6: "a6", 7: "a7" })), KNOWN[2]);
  assert.equal(commonAncestor(KNOWN, nodeHas({ 5: "a5" })), KNOWN[0]);
  assert.equal(commonAncestor(KNOWN, nodeHas({ 5: "b5", 6: "b6", 7: "b7" })), undefined);
  assert.equal(commonAncestor([], () => "a5"), undefined);
});

/** A chain that grows and reorganises; `depthMax` bounds how far it turns back. */
function makeChain(random: Random, depthMax: number) {
  const chain = [block(0, "g", "")];
  let blocksMade = 0;
  return {
    chain,
    evolve: () => {
      const depth = random.chance(0.2) ? random.below(Math.min(depthMax, chain.length - 1) + 1) : 0;
      chain.length -= depth;
      for (let i = depth + random.below(4); i > 0; i--) {
        const parent = chain.at(-1)!;
        chain.push(block(parent.height + 1, `h${++blocksMade}`, parent.hash));
      }
    },
  };
}

/** Reads towards the tip as the worker does, remembering at most `memory` blocks. */
function catchUp(
  known: BlockRef[],
  chain: readonly BlockRef[],
  memory: number,
): Reorganisation["kind"][] {
  const met: Reorganisation["kind"][] = [];
  for (let i = 0; i < 10_000; i++) {
    const last = known.at(-1);
    const next = chain[last ? last.height + 1 : 0];
    const isOurs = last === undefined || chain[last.height]?.hash === last.hash;
    if (isOurs && !next) return met;
    if (isOurs && next) known.push(next);
    if (!isOurs) {
      const hashAt = (height: number) => chain[height]?.hash;
      const found = judgeReorganisation({ ...FACTS, remembered: known, startHeight: -1, hashAt });
      met.push(found.kind);
      if (found.kind !== "rewind") return met;
      known.length = known.findIndex(({ height }) => height === found.toHeight) + 1;
    }
    while (known.length > memory) known.shift();
  }
  throw new Error("never caught up");
}

Deno.test("a follower that remembers enough ends on the node's chain after every reorganisation", () => {
  let rewinds = 0;
  for (let seed = 1; seed <= 200; seed++) {
    const random = seededRandom(seed);
    const { chain, evolve } = makeChain(random, 6);
    const known: BlockRef[] = [];
    for (let i = 0; i < 60; i++) {
      evolve();
      for (const kind of catchUp(known, chain, 8)) {
        assert.equal(kind, "rewind", `seed ${seed}, round ${i}`);
        rewinds++;
      }
      assert.deepEqual(known, chain.slice(-known.length), `seed ${seed}, round ${i}`);
    }
  }
  assert.ok(rewinds > 100, `${rewinds} rewinds`);
});

Deno.test("a reorganisation below everything remembered is too deep and never followed", () => {
  let tooDeep = 0;
  for (let seed = 1; seed <= 200; seed++) {
    const random = seededRandom(seed);
    const { chain, evolve } = makeChain(random, 12);
    const known: BlockRef[] = [];
    for (let i = 0; i < 60; i++) {
      evolve();
      const remembered = [...known];
      const isLost = remembered.length > 0 &&
        remembered.every((ref) => chain[ref.height]?.hash !== ref.hash);
      const met = catchUp(known, chain, 4);
      assert.equal(met.includes("below_remembered"), isLost, `seed ${seed}, round ${i}`);
      if (!isLost) continue;
      assert.deepEqual(known, remembered, `seed ${seed}, round ${i}`);
      tooDeep++;
      break;
    }
  }
  assert.ok(tooDeep > 100, `${tooDeep} of 200 walks went too deep`);
});
