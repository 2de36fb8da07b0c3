import assert from "node:assert/strict";
import { nextTurn } from "../../../src/base/waiting/next_turn.ts";
import { readAgreed } from "../../../src/chains/pool/agreed.ts";
import { countWitnesses, readRef, readTip } from "../../../src/chains/pool/tip.ts";
import { chainUpTo, startToldPool, type Told } from "./told_pool.ts";

/** It answers only after the others have decided. */
async function whileHeld<T>(node: Told, work: () => Promise<T>): Promise<T> {
  const answer = Promise.withResolvers<void>();
  node.held = answer.promise;
  const result = await work();
  answer.resolve();
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  return result;
}

Deno.test("a node that stands still doesn't stop a network while two follow, one of them always late", async () => {
  const [stuck, quick, late] = [10, 10, 10].map((top): Told => ({ hashes: chainUpTo(top) }));
  const { pool } = startToldPool({ stuck: stuck!, quick: quick!, late: late! }, { quorum: 2 });
  assert.equal((await readTip(pool)).height, 10);
  const tips = [];
  for (let top = 11; top <= 15; top++) {
    quick!.hashes = late!.hashes = chainUpTo(top);
    tips.push((await whileHeld(late!, () => readTip(pool))).height);
  }
  assert.deepEqual(tips, [10, 11, 12, 13, 14]);
});

Deno.test("a fork of one of three nodes isn't followed because another one is always late", async () => {
  const [forked, quick, late] = [10, 10, 10].map((top): Told => ({ hashes: chainUpTo(top) }));
  const { pool } = startToldPool({ forked: forked!, quick: quick!, late: late! }, { quorum: 1 });
  assert.equal((await readTip(pool)).hash, "block 10");
  const tips = [];
  for (let top = 11; top <= 15; top++) {
    forked!.hashes = chainUpTo(top, 10);
    quick!.hashes = late!.hashes = chainUpTo(top);
    tips.push((await whileHeld(late!, () => readTip(pool))).hash);
  }
  // At first nobody can tell which of two blocks will stay.
  for (const hash of tips.slice(1)) assert.match(hash, /^block/);
});

Deno.test("one node's word is not a quorum's about what is final", async () => {
  const hashes = chainUpTo(20);
  const nodes = () => ({ a: { hashes }, b: { hashes }, liar: { hashes, finalized: 20 } });
  const finals = [];
  for (const quorum of [1, 2, 3]) {
    const { pool } = startToldPool(nodes(), { quorum });
    finals.push((await readTip(pool)).finalizedHeight);
  }
  assert.deepEqual(finals, [20, null, null]);
});

Deno.test("a late witness is waited for if a quorum needs it", async () => {
  const lacking: Told = { hashes: chainUpTo(20).with(5, "pruned") };
  const [quick, late] = [chainUpTo(20), chainUpTo(20)].map((hashes): Told => ({ hashes }));
  const { pool } = startToldPool({ lacking, quick: quick!, late: late! }, { quorum: 2 });
  const answer = Promise.withResolvers<void>();
  late!.held = answer.promise;
  const counting = countWitnesses(pool, { height: 5, hash: "block 5" });
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  answer.resolve();
  assert.equal(await counting, 2);
});

Deno.test("a node that is gone for a minute is forgotten: nobody is asked about its head any more", async () => {
  const [gone, other] = [chainUpTo(10), chainUpTo(9)].map((hashes): Told => ({ hashes }));
  const { pool, clock, heights } = startToldPool({ gone: gone!, other: other! }, { quorum: 1 });
  await readTip(pool);
  gone!.isDead = true;
  other!.hashes = chainUpTo(60);
  await readTip(pool);
  clock.ms += 61_000;
  await readTip(pool);
  heights.clear();
  await readTip(pool);
  assert.deepEqual([...heights], [60]);
});

Deno.test("with a quorum of two, one node's word undoes no block", async () => {
  const honest = { hashes: chainUpTo(10), isDead: true };
  const nodes = { a: { ...honest }, b: { ...honest }, liar: { hashes: chainUpTo(10, 8) } };
  const { pool } = startToldPool(nodes, { quorum: 2 });
  await assert.rejects(readRef(pool, 9), /2 endpoints must agree about block 9, 1 do/);
  nodes.a.isDead = nodes.b.isDead = false;
  assert.equal((await readRef(pool, 9))?.hash, "block 9");
  assert.equal(await readRef(pool, 99), undefined);
});

Deno.test("a node that keeps blocks for too long is asked last for a minute", async () => {
  const [keeping, b, c] = [10, 10, 10].map((top): Told => ({ hashes: chainUpTo(top) }));
  const { pool, clock } = startToldPool({ keeping: keeping!, b: b!, c: c! }, { quorum: 2 });
  await readTip(pool);
  const read = () =>
    readAgreed(pool, {
      height: 10,
      ask: async (node) => (await pool.protocol.refOn(node, 10))?.hash ?? "",
      textOf: String,
    });
  const answer = Promise.withResolvers<void>();
  keeping!.held = answer.promise;
  assert.equal(await read(), "block 10");
  keeping!.asked = 0;
  for (let time = 1; time <= 3; time++) assert.equal(await read(), "block 10");
  assert.equal(keeping!.asked, 0);
  clock.ms += 60_000;
  assert.equal(await read(), "block 10");
  assert.equal(keeping!.asked, 1);
  answer.resolve();
});

Deno.test("a node that hangs since before a reorganisation keeps nobody from following it", async () => {
  const [hung, live] = [10, 10].map((top): Told => ({ hashes: chainUpTo(top) }));
  for (const order of [{ hung: hung!, live: live! }, { live: live!, hung: hung! }]) {
    const { pool } = startToldPool(order, { quorum: 1 });
    delete hung!.held;
    live!.hashes = chainUpTo(10);
    await readTip(pool);
    const never = Promise.withResolvers<void>();
    hung!.held = never.promise;
    live!.hashes = chainUpTo(12, 9);
    assert.equal((await readTip(pool)).hash, "fork 12");
    never.resolve();
  }
});

Deno.test("two that hang hold up a reorganisation for a minute at most, and discredit nobody", async () => {
  const [one, two, live] = [10, 10, 10].map((top): Told => ({ hashes: chainUpTo(top) }));
  const { pool, clock } = startToldPool({ one: one!, two: two!, live: live! }, { quorum: 1 });
  await readTip(pool);
  const never = Promise.withResolvers<void>();
  one!.held = two!.held = never.promise;
  live!.hashes = chainUpTo(12, 9);
  assert.equal((await readTip(pool)).hash, "block 10");
  assert.ok(!pool.endpoints.some((endpoint) => pool.isContradicted(endpoint)));
  clock.ms += 61_000;
  assert.equal((await readTip(pool)).hash, "fork 12");
  never.resolve();
});

Deno.test("old votes beside one node on a fork discredit no majority that has just answered", async () => {
  const told = Object.fromEntries(
    ["a", "b", "c", "d", "e"].map((host): [string, Told] => [host, { hashes: chainUpTo(10) }]),
  );
  for (const quorum of [1, 2]) {
    for (const node of Object.values(told)) {
      node.hashes = chainUpTo(10);
      delete node.held;
    }
    const { pool, clock } = startToldPool(told, { quorum });
    await readTip(pool);
    const never = Promise.withResolvers<void>();
    told.d!.held = told.e!.held = never.promise;
    told.a!.hashes = told.b!.hashes = chainUpTo(12, 9);
    told.c!.hashes = chainUpTo(11);
    await readTip(pool);
    assert.ok(!pool.endpoints.some((endpoint) => pool.isContradicted(endpoint)));
    clock.ms += 61_000;
    assert.equal((await readTip(pool)).hash, "fork 12");
    never.resolve();
  }
});

Deno.test("honest nodes that take long agree in the end, beside one that answers something else", async () => {
  const hashes = chainUpTo(10);
  const told: Record<string, Told> = {
    ...{ liar: { hashes: chainUpTo(10, 5) }, b: { hashes }, c: { hashes } },
  };
  const { pool } = startToldPool(told, { quorum: 2 });
  const [b, c] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ask = async ({ host }: { host: string }) => {
    if (host === "b") await b.promise;
    if (host === "c") await c.promise;
    return told[host]!.hashes[8]!;
  };
  const reading = readAgreed(pool, { height: 10, ask, textOf: String });
  for (const answer of [b, c]) {
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    answer.resolve();
  }
  assert.equal(await reading, "block 8");
});

Deno.test("a node that makes up blocks says not alone what is final while two wait for the next real one", async () => {
  const told: Record<string, Told> = {
    liar: { hashes: chainUpTo(20), finalized: 20 },
    b: { hashes: chainUpTo(20), finalized: 10 },
    c: { hashes: chainUpTo(20), finalized: 10 },
  };
  const { pool, clock } = startToldPool(told, { quorum: 1 });
  for (let top = 21; top <= 40; top++) {
    told.liar!.hashes = chainUpTo(top);
    told.liar!.finalized = top;
    clock.ms += 1_000;
    assert.equal((await readTip(pool)).finalizedHeight, 10);
  }
});

Deno.test("a node whose answers are always late keeps its vote about what is final, however rare polls are", async () => {
  for (const pauseMs of [2_000, 15_000, 120_000]) {
    const [rash, late] = [10, 5].map((finalized): Told => ({ hashes: chainUpTo(10), finalized }));
    const { pool, clock } = startToldPool({ rash: rash!, late: late! }, { quorum: 1 });
    await readTip(pool);
    for (let top = 11; top <= 30; top++) {
      clock.ms += pauseMs;
      rash!.hashes = late!.hashes = chainUpTo(top);
      rash!.finalized = top;
      late!.finalized = top - 5;
      const { finalizedHeight } = await whileHeld(late!, () => readTip(pool));
      assert.ok(finalizedHeight! <= top - 5, `${finalizedHeight} at ${top}`);
    }
  }
});

Deno.test("a node that is one block behind each time another is found keeps its vote", async () => {
  const [rash, behind] = [10, 5].map((finalized): Told => ({ hashes: chainUpTo(10), finalized }));
  const { pool, clock } = startToldPool({ rash: rash!, behind: behind! }, { quorum: 1 });
  for (let top = 11; top <= 30; top++) {
    rash!.hashes = chainUpTo(top);
    rash!.finalized = top;
    for (let poll = 1; poll <= 6; poll++) {
      clock.ms += 2_000;
      if (poll === 6) behind!.hashes = chainUpTo(top);
      assert.equal((await readTip(pool)).finalizedHeight, 5);
    }
  }
});
