import assert from "node:assert/strict";
import { Accounts } from "../../../src/accounts/tables/accounts.ts";
import { Alerts } from "../../../src/alerts/table.ts";
import { InvariantError } from "../../../src/base/assert.ts";
import { LedgerEntries } from "../../../src/books/table.ts";
import { Networks } from "../../../src/networks/table.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import type { Unit } from "../../../src/store/engine/group_commit.ts";
import { read, UniqueConflict } from "../../../src/store/engine/workspace.ts";
import { UsedSignatures } from "../../../src/store/tables/signatures.ts";
import { AT_MS, testOnBoth } from "../databases.ts";
import { addition, balanceOf, bookFault, makeAccount } from "../ledger.ts";
import { accountFields, makeAlert, makeEntry, makeNetwork } from "../reads/make_rows.ts";

/** More units than a group holds, so that several groups follow each other. */
const MANY = 600;

const naming = (name: string): Unit<number> => ({
  reads: [],
  decide: (view) => view.insert(Accounts, accountFields({ name })).id,
});

const namesOf = async (db: Db) => (await db.rows(Accounts, "ORDER BY id")).map((row) => row.name);

testOnBoth(
  "units that arrive together are served in order of arrival, over many groups",
  async (database) => {
    const db = await database.open();
    const names = Array.from({ length: MANY }, (_, i) => `account ${i}`);
    const answered: number[] = [];
    const ids = await Promise.all(names.map((name, i) =>
      db.write(naming(name)).then((id) => {
        answered.push(i);
        return id;
      })
    ));
    assert.deepEqual(await namesOf(db), names);
    assert.deepEqual(ids, names.map((_, i) => i + 1));
    assert.deepEqual(answered, names.map((_, i) => i));
  },
);

testOnBoth("a unit sees the changes of earlier units in the group", async (database) => {
  const db = await database.open();
  const accountId = await makeAccount(db);
  const sums = await Promise.all(Array.from({ length: MANY }, () => db.write(addition(accountId))));
  assert.deepEqual(sums, Array.from({ length: MANY }, (_, i) => BigInt(i + 1)));
  assert.equal(await balanceOf(db, accountId), BigInt(MANY));
  assert.equal(await bookFault(db, accountId), undefined);
});

testOnBoth(
  "a unit that throws affects no other and leaves nothing behind",
  async (database) => {
    const db = await database.open();
    const accountId = await makeAccount(db);
    const failing: Unit<void> = {
      reads: addition(accountId).reads,
      decide: (view) => {
        addition(accountId, 1_000_000n).decide(view);
        view.insert(Accounts, accountFields({ name: "never" }));
        throw new Error("refused by its own rule");
      },
    };
    const outcomes = await Promise.allSettled(
      Array.from(
        { length: 90 },
        (_, i) => db.write<unknown>(i % 3 ? addition(accountId) : failing),
      ),
    );
    outcomes.forEach((outcome, i) => {
      assert.equal(outcome.status, i % 3 ? "fulfilled" : "rejected", `unit ${i}`);
      if (outcome.status === "rejected") {
        assert.equal(outcome.reason.message, "refused by its own rule");
      }
    });
    assert.equal(await balanceOf(db, accountId), 60n);
    assert.equal((await db.rows(LedgerEntries, "")).length, 60);
    assert.equal(await bookFault(db, accountId), undefined);
    assert.deepEqual(await namesOf(db), ["Acme"]);
  },
);

testOnBoth(
  "a key that a failed unit had taken is free for the next unit of the group",
  async (database) => {
    const db = await database.open();
    const { id: _, ...alert } = makeAlert({ id: 0, open: 1 });
    const opening = (fails: boolean): Unit<void> => ({
      reads: [read(Alerts, ["k", "s", 1], "open")],
      decide: (view) => {
        assert.equal(view.find(Alerts, ["k", "s", 1], "open"), undefined);
        const row = view.insert(Alerts, alert);
        assert.equal(view.find(Alerts, ["k", "s", 1], "open"), row);
        if (fails) throw new Error("undone");
      },
    });
    const outcomes = await Promise.allSettled(
      [true, true, false].map((fails) => db.write(opening(fails))),
    );
    assert.deepEqual(outcomes.map(({ status }) => status), ["rejected", "rejected", "fulfilled"]);
    assert.equal((await db.rows(Alerts, "")).length, 1);
  },
);

testOnBoth("a unit is answered only when another program can see its changes", async (database) => {
  const db = await database.open();
  const other = await database.open();
  await Promise.all(Array.from({ length: 40 }, async (_, i) => {
    const id = await db.write(naming(`account ${i}`));
    assert.equal((await other.find(Accounts, [id]))?.name, `account ${i}`);
  }));
});

testOnBoth("a unit that changes nothing is answered, and nothing is written", async (database) => {
  const db = await database.open();
  const epoch = async () => (await db.query("SELECT epoch FROM write_clock"))[0]!.epoch;
  const before = await epoch();
  assert.equal(await db.write({ reads: [], decide: () => "looked" }), "looked");
  assert.equal(await epoch(), before);
});

testOnBoth(
  "a key that another row of the group has is a conflict for the later unit only",
  async (database) => {
    const db = await database.open();
    const signature: Unit<string> = {
      reads: [],
      decide: (view) =>
        view.insertKeyed(UsedSignatures, { signature: "00ff", expiresAtMs: 1 }).signature,
    };
    const outcomes = await Promise.allSettled(
      [signature, signature, signature].map((unit) => db.write(unit)),
    );
    assert.deepEqual(outcomes.map((outcome) => outcome.status), [
      "fulfilled",
      "rejected",
      "rejected",
    ]);
    for (const outcome of outcomes.slice(1)) {
      assert.ok(outcome.status === "rejected" && outcome.reason instanceof UniqueConflict);
    }
  },
);

testOnBoth(
  "a key that the database has is a conflict for its unit, and the group's others stand",
  async (database) => {
    const db = await database.open();
    const signing = (signature: string): Unit<string> => ({
      reads: [],
      decide: (view) => view.insertKeyed(UsedSignatures, { signature, expiresAtMs: 1 }).signature,
    });
    await db.write(signing("taken"));
    const wanted = ["a", "taken", "b", "taken", "c"];
    const outcomes = await Promise.allSettled(wanted.map((each) => db.write(signing(each))));
    outcomes.forEach((outcome, i) => {
      if (wanted[i] === "taken") {
        assert.ok(outcome.status === "rejected" && outcome.reason instanceof UniqueConflict);
      } else assert.equal(outcome.status, "fulfilled");
    });
    const stored = (await db.rows(UsedSignatures, "ORDER BY signature")).map((row) =>
      row.signature
    );
    assert.deepEqual(stored, ["a", "b", "c", "taken"]);
  },
);

testOnBoth(
  "a row that breaks a rule of the database fails alone, whatever the rule",
  async (database) => {
    const db = await database.open();
    const accountId = await makeAccount(db);
    const broken: Unit<unknown> = {
      reads: [],
      decide: (view) =>
        view.insertKeyed(Networks, { ...makeNetwork("X", null), minConfirmations: 0 }),
    };
    const outcomes = await Promise.allSettled(
      [addition(accountId), broken, addition(accountId)].map((unit) => db.write<unknown>(unit)),
    );
    assert.deepEqual(outcomes.map((outcome) => outcome.status), [
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    assert.equal(await balanceOf(db, accountId), 2n);
    assert.equal(await bookFault(db, accountId), undefined);
  },
);

testOnBoth("a broken rule that is no taken key isn't reported as one", async (database) => {
  const db = await database.open();
  const units: Unit<unknown>[] = [
    {
      reads: [],
      decide: (view) => view.insertKeyed(Networks, { ...makeNetwork("X", null), quorum: 0 }),
    },
    { reads: [], decide: (view) => view.insertKeyed(LedgerEntries, makeEntry({ id: 1 })) },
  ];
  for (const unit of units) {
    const fault = await db.write(unit).catch((error) => error);
    assert.ok(fault instanceof Error);
    assert.equal(fault instanceof UniqueConflict, false, fault.message);
  }
});

testOnBoth(
  "an undeclared look-up is an invariant error and not a missing row",
  async (database) => {
    const db = await database.open();
    const accountId = await makeAccount(db);
    const [undeclared, otherKey, declared] = await Promise.allSettled([
      db.write({ reads: [], decide: (view) => view.find(Accounts, [77]) }),
      db.write({
        reads: [read(Alerts, [5])],
        decide: (view) => view.find(Alerts, ["k", "s", 1], "open"),
      }),
      db.write(addition(accountId)),
    ]);
    assert.ok(undeclared.status === "rejected" && undeclared.reason instanceof InvariantError);
    assert.match(undeclared.reason.message, /accounts primary 77 without declaring it/);
    assert.ok(otherKey.status === "rejected" && otherKey.reason instanceof InvariantError);
    assert.equal(declared.status, "fulfilled");
  },
);

testOnBoth(
  "changing or removing a row that wasn't loaded is an invariant error",
  async (database) => {
    const db = await database.open();
    const row = { ...accountFields(), id: await makeAccount(db) };
    await assert.rejects(
      db.write({ reads: [], decide: (view) => view.update(Accounts, row, { name: "x" }) }),
      InvariantError,
    );
    await db.write({
      reads: [],
      decide: (view) => view.insertKeyed(UsedSignatures, { signature: "s", expiresAtMs: 1 }),
    });
    await assert.rejects(
      db.write({
        reads: [],
        decide: (view) => view.remove(UsedSignatures, { signature: "s", expiresAtMs: 1 }),
      }),
      InvariantError,
    );
  },
);

testOnBoth(
  "a new row's id is the writer's, even if the row was copied from another",
  async (database) => {
    const db = await database.open();
    const first = await db.write({
      reads: [],
      decide: (view) => view.insert(Accounts, accountFields({ name: "a" })),
    });
    const copy = await db.write({ reads: [], decide: (view) => view.insert(Accounts, first) });
    assert.equal(copy.id, first.id + 1);
    assert.equal((await db.rows(Accounts, "")).length, 2);
  },
);

testOnBoth(
  "queued units are counted, and closing waits until all are committed",
  async (database) => {
    const db = await database.open();
    const writes = Array.from({ length: 50 }, (_, i) => db.write(naming(`account ${i}`)));
    assert.equal(db.queueDepth(), 50);
    await db.close();
    const ids = await Promise.all(writes);
    assert.equal(new Set(ids).size, 50);
    const other = await database.open();
    assert.equal((await namesOf(other)).length, 50);
  },
);

testOnBoth(
  "after a rush nobody waits for as many again while only a few come now and then",
  async (database) => {
    let nowMs = AT_MS;
    const db = await database.open({ clock: { nowMs: () => nowMs } });
    await Promise.all(Array.from({ length: 256 }, (_, i) => db.write(naming(`account ${i}`))));
    const late: Promise<number>[] = [];
    while (late.length < 30 && db.queueDepth() === late.length) {
      late.push(db.write(naming(`late ${late.length}`)));
      nowMs += 10;
      for (let turns = 0; turns < 8; turns++) await new Promise((next) => setImmediate(next));
    }
    assert.ok(late.length < 10, `${late.length} came, and none was taken on`);
    await Promise.all(late);
  },
);
