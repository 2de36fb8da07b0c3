import assert from "node:assert/strict";
import {
  type BlockRef,
  commonAncestor,
  confirmationsOf,
  type FollowStep,
  followStep,
} from "../../../src/domain/states/chain_follow.ts";
import { type Random, seededRandom } from "../random.ts";

const block = (height: number, hash: string, parentHash: string): BlockRef => ({
  height,
  hash,
  parentHash,
});

/** Blocks 5 to 7 of branch a. */
const KNOWN = [block(5, "a5", "a4"), block(6, "a6", "a5"), block(7, "a7", "a6")];

const STEPS: readonly (readonly [what: string, readonly BlockRef[], BlockRef, FollowStep])[] = [
  ["the first block of all", [], block(123, "a123", "a122"), "append"],
  ["the child of the newest", KNOWN, block(8, "a8", "a7"), "append"],
  ["the newest again", KNOWN, block(7, "a7", "a6"), "same"],
  ["an older remembered one again", KNOWN, block(6, "a6", "a5"), "same"],
  ["the oldest remembered one again", KNOWN, block(5, "a5", "a4"), "same"],
  ["one that leaves a block out", KNOWN, block(9, "a9", "a8"), "gap"],
  ["one far ahead on another branch", KNOWN, block(90, "b90", "b89"), "gap"],
  ["the next one with another parent", KNOWN, block(8, "b8", "b7"), "rewind"],
  ["another one in place of the newest", KNOWN, block(7, "b7", "a6"), "rewind"],
  ["another one in place of the oldest", KNOWN, block(5, "b5", "a4"), "rewind"],
  ["one from below everything remembered", KNOWN, block(4, "a4", "a3"), "too_deep"],
  ["the genesis block", KNOWN, block(0, "a0", ""), "too_deep"],
];

for (const [what, known, next, step] of STEPS) {
  Deno.test(`${what} means ${step}`, () => assert.equal(followStep(known, next), step));
}

Deno.test("the common ancestor is the highest remembered block that the node still has", () => {
  const nodeHas = (hashes: Record<number, string>) => (height: number) => hashes[height];
  assert.equal(commonAncestor(KNOWN, nodeHas({ 5: "a5", 6: "a6", 7: "b7" })), KNOWN[1]);
  assert.equal(commonAncestor(KNOWN, nodeHas({ 5: "a5", 6: "a6", 7: "a7" })), KNOWN[2]);
  assert.equal(commonAncestor(KNOWN, nodeHas({ 5: "a5" })), KNOWN[0]);
  assert.equal(commonAncestor(KNOWN, nodeHas({ 5: "b5", 6: "b6", 7: "b7" })), undefined);
  assert.equal(commonAncestor([], () => "a5"), undefined);
});

Deno.test("confirmations count the block itself and are 0 outside a block", () => {
  assert.equal(confirmationsOf(100, { height: 100, isAnchored: true }), 1);
  assert.equal(confirmationsOf(100, { height: 89, isAnchored: true }), 12);
  assert.equal(confirmationsOf(100, { height: 89, isAnchored: false }), 0);
  assert.equal(confirmationsOf(100, { height: 0, isAnchored: true }), 0);
  assert.equal(confirmationsOf(100, { height: 101, isAnchored: true }), 0);
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
function catchUp(known: BlockRef[], chain: readonly BlockRef[], memory: number): FollowStep[] {
  const steps: FollowStep[] = [];
  for (let i = 0; i < 10_000; i++) {
    const next = chain[(known.at(-1)?.height ?? -1) + 1] ?? chain.at(-1)!;
    const step = followStep(known, next);
    steps.push(step);
    if (step === "append") known.push(next);
    if (step === "same" || step === "too_deep") return steps;
    if (step === "rewind") {
      const ancestor = commonAncestor(known, (height) => chain[height]?.hash);
      if (!ancestor) return [...steps, "too_deep"];
      known.length = known.indexOf(ancestor) + 1;
    }
    while (known.length > memory) known.shift();
  }
  throw new Error("never caught up");
}

Deno.test("a follower that remembers enough ends on the node's chain after every reorganisation", () => {
  const met = new Set<FollowStep>();
  for (let seed = 1; seed <= 200; seed++) {
    const random = seededRandom(seed);
    const { chain, evolve } = makeChain(random, 6);
    const known: BlockRef[] = [];
    for (let i = 0; i < 60; i++) {
      evolve();
      for (const step of catchUp(known, chain, 8)) met.add(step);
      assert.deepEqual(known, chain.slice(-known.length), `seed ${seed}, round ${i}`);
    }
  }
  assert.deepEqual(met, new Set<FollowStep>(["append", "same", "rewind"]));
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
      const steps = catchUp(known, chain, 4);
      assert.equal(steps.includes("too_deep"), isLost, `seed ${seed}, round ${i}`);
      if (!isLost) continue;
      assert.deepEqual(known, remembered, `seed ${seed}, round ${i}`);
      tooDeep++;
      break;
    }
  }
  assert.ok(tooDeep > 100, `${tooDeep} of 200 walks went too deep`);
});
