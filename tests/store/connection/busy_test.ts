import assert from "node:assert/strict";
import { Accounts } from "../../../src/accounts/tables/accounts.ts";
import { AuditLog } from "../../../src/audit/table.ts";
import { LedgerEntries } from "../../../src/books/table.ts";
import { type ChildProgram, startChild } from "../child_program.ts";
import { makeDatabase, type TestDatabase, testOnBoth } from "../databases.ts";
import { addition, balanceOf, bookFault, makeAccount } from "../ledger.ts";

const TURNS = 25;

/** Another process that holds the write lock until the test releases it. */
async function holdLock({ url }: TestDatabase): Promise<ChildProgram> {
  const child = startChild(new URL("lock_holder.ts", import.meta.url), {
    args: [url.slice("file:".length)],
  });
  assert.equal(await child.line(), "locked");
  return child;
}

async function letGo(holder: ChildProgram): Promise<void> {
  await holder.say("release");
  assert.equal(await holder.line(), "released");
}

/** Fails only its own test if it is given up while the machine is too slow to release the lock. */
function begun<T>(write: Promise<T>): Promise<T> {
  write.catch(() => {});
  return write;
}

/** Answers when the event loop has turned this often: it does not while something blocks it. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setTimeout(resolve, 1));
}

Deno.test("a write that meets another program's lock waits for it, and the event loop goes on", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = await database.open();
  const accountId = await makeAccount(db);
  await using holder = await holdLock(database);
  let isDone = false;
  const writes = begun(
    Promise.all(Array.from({ length: 20 }, () => db.write(addition(accountId))))
      .finally(() => isDone = true),
  );
  await turns(TURNS);
  assert.equal(isDone, false);
  await letGo(holder);
  assert.deepEqual((await writes).at(-1), 20n);
  assert.equal(await bookFault(db, accountId), undefined);
  assert.equal((await db.rows(AuditLog, "")).length, 1);
});

Deno.test("a connection that met a lock works as before, again and again", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = await database.open();
  const accountId = await makeAccount(db);
  for (let time = 1; time <= 3; time++) {
    await using holder = await holdLock(database);
    const write = begun(db.write(addition(accountId)));
    await turns(TURNS);
    await letGo(holder);
    assert.equal(await write, BigInt(2 * time - 1));
    assert.equal(await db.write(addition(accountId)), BigInt(2 * time));
    const [journal] = await db.query("PRAGMA journal_mode");
    const [synchronous] = await db.query("PRAGMA synchronous");
    const [foreignKeys] = await db.query("PRAGMA foreign_keys");
    assert.equal(journal!.journal_mode, "wal");
    assert.equal(synchronous!.synchronous, 2);
    assert.equal(foreignKeys!.foreign_keys, 1);
  }
});

Deno.test("reads are answered while another program holds the lock", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = await database.open();
  const accountId = await makeAccount(db);
  await using holder = await holdLock(database);
  assert.equal(await balanceOf(db, accountId), 0n);
  assert.deepEqual(await db.rows(AuditLog, ""), []);
  await letGo(holder);
  assert.equal((await db.rows(AuditLog, "")).length, 1);
});

Deno.test("reads that arrive just as a write meets a lock are all answered", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = await database.open();
  const accountId = await makeAccount(db);
  await using holder = await holdLock(database);
  const reads: Promise<PromiseSettledResult<unknown>[]>[] = [];
  const unit = addition(accountId);
  const write = begun(db.write({
    reads: unit.reads,
    decide: (view) => {
      // Between here and the meeting there are only microtasks, so the reads come from microtasks too.
      let moment = Promise.resolve();
      for (let i = 0; i < 12; i++) {
        moment = moment.then(() => {
          const asked = [
            db.rows(Accounts, ""),
            db.query("SELECT 1"),
            db.find(Accounts, [accountId]),
          ];
          reads.push(Promise.allSettled<unknown>(asked));
        });
      }
      return unit.decide(view);
    },
  }));
  await turns(TURNS);
  await letGo(holder);
  assert.equal(await write, 1n);
  const outcomes = (await Promise.all(reads)).flat();
  const faults = outcomes.filter((outcome) => outcome.status === "rejected");
  assert.ok(outcomes.length > 30);
  assert.deepEqual(faults.map((fault) => String(fault.reason)), []);
});

Deno.test("a program that dies while holding the lock leaves nothing of its own and nothing locked", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = await database.open();
  const accountId = await makeAccount(db);
  await using holder = await holdLock(database);
  const write = begun(db.write(addition(accountId)));
  await turns(TURNS);
  await holder.kill();
  assert.equal(await write, 1n);
  assert.deepEqual(await db.rows(AuditLog, ""), []);
});

testOnBoth(
  "a write waits for another program's open transaction and sees what it wrote",
  async (database) => {
    const db = await database.open();
    const accountId = await makeAccount(db);
    const foreign = await database.client().transaction("write");
    await foreign.execute({
      sql: "UPDATE balances SET balance = '100' WHERE account_id = ?",
      args: [BigInt(accountId)],
    });
    await foreign.execute({
      sql: "UPDATE write_clock SET epoch = epoch + 1",
      args: [],
    });
    let isDone = false;
    const write = db.write(addition(accountId)).finally(() => isDone = true);
    await turns(TURNS);
    assert.equal(isDone, false);
    await foreign.commit();
    assert.equal(await write, 101n);
    assert.equal(await balanceOf(db, accountId), 101n);
  },
);

testOnBoth(
  "concurrent writes, reads and statements of every kind are all answered",
  async (database) => {
    const db = await database.open();
    const accountId = await makeAccount(db);
    await Promise.all(Array.from({ length: 60 }, async (_, i) => {
      const turn = i % 5;
      if (turn === 0) await db.write(addition(accountId));
      else if (turn === 1) await db.find(Accounts, [accountId]);
      else if (turn === 2) await db.rows(LedgerEntries, "ORDER BY id");
      else if (turn === 3) await db.query("SELECT count(*) AS n FROM accounts");
      else {await db.execute([{
          sql: "DELETE FROM used_signatures WHERE expires_at_ms < ?",
          args: [i],
        }]);}
    }));
    assert.equal(await balanceOf(db, accountId), 12n);
  },
);
