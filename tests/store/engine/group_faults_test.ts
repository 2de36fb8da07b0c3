import assert from "node:assert/strict";
import { Unavailable, WriteFault } from "../../../src/store/connection/faults.ts";
import type { Unit } from "../../../src/store/engine/group_commit.ts";
import { makeDatabase } from "../databases.ts";
import {
  type Disturbance,
  disturbed,
  fault,
  type Forward,
  withoutPauses,
} from "./disturbed_writer.ts";
import { addition, balanceOf, bookFault, makeAccount } from "../ledger.ts";

const CASES: readonly (readonly [what: string, Disturbance])[] = [
  ["is lost on its way", async (forward, { mode, nth }) => {
    if (mode === "write" && nth <= 3) throw fault("lost");
    return await forward();
  }],
  ["is lost on its way back", async (forward, { mode, nth }) => {
    const results = await forward();
    if (mode === "write" && nth <= 3) throw fault("lost");
    return results;
  }],
  ["meets a busy database three times", async (forward, { mode, nth }) => {
    if (mode === "write" && nth <= 3) throw fault("busy");
    return await forward();
  }],
  ["cannot even be prepared three times", async (forward, { mode, nth }) => {
    if (mode === "read" && nth <= 3) throw fault(nth === 2 ? "lost" : "busy");
    return await forward();
  }],
  ["is lost, and the look afterwards as well", async (forward, { mode, nth }) => {
    const results = await forward();
    if (mode === "write" && nth === 1) throw fault("lost");
    if (mode === "read" && (nth === 2 || nth === 3)) throw fault("lost");
    return results;
  }],
];

for (const [what, disturb] of CASES) {
  Deno.test(`a write that ${what} is committed exactly once`, async () => {
    await using database = await makeDatabase("an embedded file");
    const db = await database.open();
    const accountId = await makeAccount(db);
    const writer = disturbed(database, disturb);
    const sums = await Promise.all(
      [1n, 2n, 3n].map((amount) => writer.run(addition(accountId, amount))),
    );
    assert.deepEqual(sums, [1n, 3n, 6n]);
    assert.equal(await writer.run(addition(accountId, 4n)), 10n);
    assert.equal(await balanceOf(db, accountId), 10n);
    assert.equal(await bookFault(db, accountId), undefined);
  });
}

Deno.test("a write that reaches the database only after it was looked for is committed exactly once", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = await database.open();
  const accountId = await makeAccount(db);
  let late: Forward | undefined;
  const writer = disturbed(database, async (forward, { mode, nth }) => {
    if (mode === "write" && nth === 1) {
      late = forward;
      throw fault("lost");
    }
    if (mode === "write" && nth === 2) await late!();
    return await forward();
  });
  assert.equal(await writer.run(addition(accountId, 5n)), 5n);
  assert.equal(await balanceOf(db, accountId), 5n);
  assert.equal(await bookFault(db, accountId), undefined);
});

Deno.test("a late write whose group was decided again on newer books is refused by the epoch", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = await database.open();
  const accountId = await makeAccount(db);
  const lates: Forward[] = [];
  const writer = disturbed(database, async (forward, { mode, nth }) => {
    if (mode !== "write" || nth > 1) return await forward();
    lates.push(forward);
    await db.write(addition(accountId, 1000n));
    throw fault("lost");
  });
  assert.equal(await writer.run(addition(accountId, 5n)), 1005n);
  await assert.rejects(
    lates[0]!(),
    (error) => error instanceof WriteFault && error.kind === "stale",
  );
  assert.equal(await balanceOf(db, accountId), 1005n);
  assert.equal(await bookFault(db, accountId), undefined);
});

Deno.test("a database that stays busy is given up after bounded attempts, for every waiting unit", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = await database.open();
  const accountId = await makeAccount(db);
  let attempts = 0;
  let isBusy = true;
  const writer = disturbed(database, async (forward, { mode }) => {
    if (mode === "write" && isBusy) {
      attempts++;
      throw fault("busy");
    }
    return await forward();
  });
  await withoutPauses(async () => {
    const outcomes = await Promise.allSettled(
      [1n, 2n, 3n].map((amount) => writer.run(addition(accountId, amount))),
    );
    for (const outcome of outcomes) {
      assert.ok(outcome.status === "rejected" && outcome.reason instanceof Unavailable);
      assert.ok(outcome.reason.cause instanceof WriteFault);
    }
  });
  assert.ok(attempts > 5 && attempts <= 100, `${attempts} attempts`);
  isBusy = false;
  assert.equal(await writer.run(addition(accountId, 7n)), 7n);
  assert.equal(await bookFault(db, accountId), undefined);
});

Deno.test("a fault that no retry can fix is reported at once to every unit of the group", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = await database.open();
  const accountId = await makeAccount(db);
  let writes = 0;
  const writer = disturbed(database, async (forward, { mode }) => {
    if (mode === "write" && ++writes === 1) throw new Error("disk image is malformed");
    return await forward();
  });
  const outcomes = await Promise.allSettled(
    [1n, 2n].map((amount) => writer.run(addition(accountId, amount))),
  );
  for (const outcome of outcomes) {
    assert.ok(outcome.status === "rejected");
    assert.equal(outcome.reason.message, "disk image is malformed");
  }
  assert.equal(writes, 1, "the group may stand, so its units are not tried again");
  assert.equal(await writer.run(addition(accountId, 7n)), 7n);
});

/** Decides differently each time, like one that reads the clock: odd times add, even ones don't. */
function fickle(accountId: number): Unit<string> {
  let times = 0;
  return {
    reads: addition(accountId).reads,
    decide: (view) => ++times % 2 === 1 ? `${addition(accountId, 5n).decide(view)}` : "refused",
  };
}

Deno.test("a late write changes nothing once its unit was answered as refused", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = await database.open();
  const accountId = await makeAccount(db);
  let late: Forward | undefined;
  const writer = disturbed(database, async (forward, { mode, nth }) => {
    if (mode === "read" || nth > 1) return await forward();
    late = forward;
    throw fault("lost");
  });
  assert.equal(await withoutPauses(() => writer.run(fickle(accountId))), "refused");
  await assert.rejects(late!(), { kind: "stale" });
  assert.equal(await balanceOf(db, accountId), 0n);
});

Deno.test("a unit that was decided twice is answered with what was committed", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = await database.open();
  const accountId = await makeAccount(db);
  let late: Forward | undefined;
  const writer = disturbed(database, async (forward, { mode, nth }) => {
    if (mode === "write" && nth === 1) {
      late = forward;
      throw fault("lost");
    }
    if (mode === "write" && nth === 2) await late!();
    return await forward();
  });
  assert.equal(await withoutPauses(() => writer.run(fickle(accountId))), "5");
  assert.equal(await balanceOf(db, accountId), 5n);
});

Deno.test("who waits for a silent database is told, and then it happens neither later nor again", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = await database.open();
  const accountId = await makeAccount(db);
  let isAway = true;
  let decided = 0;
  const asked = Promise.withResolvers<void>();
  const writer = disturbed(database, async (forward, { mode }) => {
    if (mode === "read" || !isAway) return await forward();
    asked.resolve();
    throw fault("lost");
  }, { callerMs: 1 });
  const unit = addition(accountId, 1n);
  const counted: typeof unit = {
    ...unit,
    decide: (view) => {
      decided++;
      return unit.decide(view);
    },
  };
  const committing = assert.rejects(writer.run(counted), Unavailable);
  await asked.promise;
  const queued = assert.rejects(writer.run(counted), Unavailable);
  await Promise.all([committing, queued]);
  const before = decided;
  isAway = false;
  await writer.idle();
  assert.equal(await writer.run(addition(accountId, 5n)), 5n);
  assert.equal(decided, before);
  assert.equal(await balanceOf(db, accountId), 5n);
  assert.equal(await bookFault(db, accountId), undefined);
});

Deno.test("a write that was told to be unknown may have happened, and happens once", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = await database.open();
  const accountId = await makeAccount(db);
  let isAway = true;
  const writer = disturbed(database, async (forward, { mode, nth }) => {
    if (mode === "read" && nth > 1 && isAway) throw fault("lost");
    const answers = await forward();
    if (mode === "write" && nth === 1) throw fault("lost");
    return answers;
  }, { callerMs: 1 });
  await assert.rejects(writer.run(addition(accountId, 1n)), Unavailable);
  isAway = false;
  await writer.idle();
  assert.equal(await writer.run(addition(accountId, 5n)), 6n);
  assert.equal(await balanceOf(db, accountId), 6n);
  assert.equal(await bookFault(db, accountId), undefined);
});
