import assert from "node:assert/strict";
import { createGatewayMetrics } from "../../../src/upkeep/metrics.ts";
import { Membership } from "../../../src/upkeep/membership.ts";
import { createCatalogSource } from "../../../src/store/engine/catalog.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { createFollowers } from "../../../src/following/workers/follow_chains.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER } from "../../support/payers.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import { allocate, cursorOf, depositsOf } from "../../support/views.ts";
import { startWorld, type World } from "../../support/world.ts";

const SECOND_MS = 1_000;
const ROUNDS = 20;

interface Counts {
  reads: number;
  writes: number;
}

/** Counts the statements sent to the database. */
function counted(db: Db): { db: Db; taken(): Counts } {
  let counts: Counts = { reads: 0, writes: 0 };
  const note = (kind: keyof Counts) => void counts[kind]++;
  const recorded: Db = {
    ...db,
    find: (...args) => (note("reads"), db.find(...args)),
    get: (...args) => (note("reads"), db.get(...args)),
    list: (...args) => (note("reads"), db.list(...args)),
    rows: (...args) => (note("reads"), db.rows(...args)),
    query: (...args) => (note("reads"), db.query(...args)),
    write: (unit) => (note("writes"), db.write(unit)),
    execute: (statements) => (note("writes"), db.execute(statements)),
  };
  const taken = () => {
    const before = counts;
    counts = { reads: 0, writes: 0 };
    return before;
  };
  return { db: recorded, taken };
}

function idling({ deps }: World) {
  const clock = { ms: Date.now() };
  const { db, taken } = counted(deps.db);
  const time = { nowMs: () => clock.ms };
  const own = { ...deps, db, clock: time, catalog: createCatalogSource(db, time) };
  const followers = createFollowers(own, createGatewayMetrics());
  const { signal } = new AbortController();
  return {
    own,
    taken,
    seconds: async (count: number) => {
      for (let second = 0; second < count; second++) {
        clock.ms += SECOND_MS;
        await followers.run(signal);
        await followers.idle();
      }
    },
  };
}

Deno.test("an idle chain takes two statements per round, and what waits for time alone still happens", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
  const { seconds, taken } = idling(world);
  const { address } = await allocate(world.merchant.api);
  await seconds(3);

  taken();
  await seconds(ROUNDS);
  const quiet = taken();
  assert.ok(quiet.reads <= 2.3 * ROUNDS, `${quiet.reads} reads in ${ROUNDS} rounds`);
  assert.ok(quiet.writes <= 0.5 * ROUNDS, `${quiet.writes} writes in ${ROUNDS} rounds`);
  const { updatedAtMs } = await cursorOf(world.deps);
  assert.ok(
    updatedAtMs > Date.now() + 10 * SECOND_MS,
    "That the node answers is noted all the while",
  );

  await sendTx(anvil, { to: address, valueRaw: ETHER });
  await anvil.mine(2);
  await seconds(1);
  assert.deepEqual((await depositsOf(world.merchant.api)).map(({ status }) => status), [
    "confirmed",
  ]);
  assert.ok(taken().reads > 4, "With a new block everything is looked at");
});

Deno.test("between two rounds the followers check twice a second for new configuration", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
  const { db, taken } = counted(world.deps.db);
  let nowMs = Date.now();
  const clock = { nowMs: () => nowMs };
  const catalog = createCatalogSource(db, clock);
  const none = { ...await catalog.current(), networks: [] };
  const current = async () => (await catalog.current(), none);
  const followers = createFollowers(
    { ...world.deps, db, clock, catalog: { current, fresh: () => undefined } },
    createGatewayMetrics(),
  );
  taken();
  for (let turn = 0; turn < 100; turn++) {
    nowMs += 50;
    await followers.run(new AbortController().signal);
  }
  const { reads } = taken();
  assert.ok(reads >= 9 && reads <= 11, `${reads} in five seconds`);
});

Deno.test("a look at the other instances is two statements", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
  const { db, taken } = counted(world.deps.db);
  const membership = new Membership({ ...world.deps, db });
  await membership.look();
  taken();
  await membership.look();
  assert.deepEqual(taken(), { reads: 2, writes: 0 });
});
