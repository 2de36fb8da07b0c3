import assert from "node:assert/strict";
import { verifyAudit } from "../../../src/integrity/verify_audit.ts";
import { AuditLog } from "../../../src/audit/table.ts";
import { Alerts } from "../../../src/alerts/table.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import type { Unit } from "../../../src/store/engine/group_commit.ts";
import { HARD_TEXTS, makeAlert } from "../reads/make_rows.ts";
import { makeAudit } from "../reads/make_users.ts";
import { makeDatabase, type TestDatabase, testOnBoth } from "../databases.ts";

const { id: _, ...ROW } = makeAudit({ id: 0 });

const noting = (subject: string): Unit<number> => ({
  reads: [],
  decide: (view) => view.insert(AuditLog, { ...ROW, subject, detail: { HARD_TEXTS } }).id,
});

async function note(db: Db, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, i) => db.write(noting(`row ${i}`))));
}

testOnBoth(
  "every audit row covers the hash of the one before, across groups, failures and writers",
  async (database) => {
    const writers = await Promise.all([0, 1].map(() => database.open()));
    const [db] = writers as [Db];
    assert.equal((await verifyAudit({ db })).head, null);
    const failing: Unit<void> = {
      reads: [],
      decide: (view) => {
        noting("never").decide(view);
        throw new Error("refused by its own rule");
      },
    };
    for (let round = 0; round < 5; round++) {
      const failed = db.write(failing).catch(() => {});
      await Promise.all([...writers.map((writer) => note(writer, 30)), failed]);
    }
    // A group that a constraint refuses is tried one by one.
    const { id: _, ...alert } = makeAlert({ id: 0 });
    const twice = [0, 1].map(() =>
      db.write({
        reads: [],
        decide: (view) => {
          view.insert(Alerts, alert);
          noting("one of two").decide(view);
        },
      })
    );
    const outcomes = await Promise.allSettled([...twice, note(db, 3)]);
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 2);
    const rows = await db.rows(AuditLog, "ORDER BY id");
    assert.equal(rows.length, 304);
    assert.equal(new Set(rows.map(({ hash }) => hash)).size, 304);
    assert.deepEqual(await verifyAudit({ db }), {
      verified: 304,
      unchained: 0,
      brokenId: null,
      head: { id: rows.at(-1)!.id, hash: rows.at(-1)!.hash },
      isKnownFound: null,
    });
  },
);

const TAMPERINGS: readonly (readonly [what: string, sql: string, brokenId: number])[] = [
  ["another subject", "UPDATE audit_log SET subject = 'x' WHERE id = 5", 5],
  ["another detail", "UPDATE audit_log SET detail = '{}' WHERE id = 7", 7],
  ["another address", "UPDATE audit_log SET ip = '::1' WHERE id = 3", 3],
  ["another time", "UPDATE audit_log SET at_ms = at_ms + 1 WHERE id = 10", 10],
  ["a row taken out", "DELETE FROM audit_log WHERE id = 4", 5],
  ["the first row taken out", "DELETE FROM audit_log WHERE id = 1", 2],
  ["the last row taken off", "DELETE FROM audit_log WHERE id = 10", 10],
  ["all rows taken off", "DELETE FROM audit_log", 1],
  ["a hash taken away", "UPDATE audit_log SET hash = NULL WHERE id = 6", 6],
  ["the first hashes taken away", "UPDATE audit_log SET hash = NULL WHERE id < 4", 4],
  [
    "a row put in",
    "INSERT INTO audit_log (at_ms, actor, action, subject, detail) VALUES (1, 'a', 'b', 'c', '{}')",
    11,
  ],
  [
    "two rows swapped",
    "UPDATE audit_log SET id = CASE id WHEN 8 THEN -9 ELSE 8 END WHERE id IN (8, 9)",
    8,
  ],
];

Deno.test("the first audit row that somebody tampered with is named", async () => {
  for (const [what, sql, brokenId] of TAMPERINGS) {
    await using database = await makeDatabase("an embedded file");
    const db = await database.open();
    await note(db, 10);
    await tamper(database, sql);
    assert.equal((await verifyAudit({ db })).brokenId, brokenId, what);
  }
});

async function tamper(database: TestDatabase, sql: string): Promise<void> {
  const client = database.client();
  for (const trigger of ["update", "delete"]) {
    await client.execute(`DROP TRIGGER audit_log_no_${trigger}`);
  }
  await client.execute(sql);
}

Deno.test("audit rows can't be changed or removed while the database's own rules are in place", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = await database.open();
  await note(db, 1);
  const client = database.client();
  await assert.rejects(client.execute("UPDATE audit_log SET actor = 'x'"), /never changed/);
  await assert.rejects(client.execute("DELETE FROM audit_log"), /never deleted/);
});

Deno.test("rows from before the chain are counted separately, and the chain begins after them", async () => {
  await using database = await makeDatabase("an embedded file");
  const old =
    "INSERT INTO audit_log (at_ms, actor, action, subject, detail) VALUES (1, 'a', 'b', 'c', '{}')";
  for (let i = 0; i < 3; i++) await database.client().execute(old);
  const db = await database.open();
  await note(db, 4);
  const { verified, unchained, brokenId } = await verifyAudit({ db });
  assert.deepEqual({ verified, unchained, brokenId }, {
    verified: 4,
    unchained: 3,
    brokenId: null,
  });
});

Deno.test("a log rewritten from end to end doesn't contain a hash noted earlier", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = await database.open();
  await note(db, 3);
  const known = (await verifyAudit({ db })).head!.hash;
  await note(db, 3);
  assert.equal((await verifyAudit({ db }, { known })).isKnownFound, true);
  await tamper(database, "DELETE FROM audit_log");
  await database.client().execute("DELETE FROM sqlite_sequence WHERE name = 'audit_log'");
  await db.write(noting("anew"));
  const verdict = await verifyAudit({ db }, { known });
  assert.deepEqual([verdict.brokenId, verdict.isKnownFound], [null, false]);
});
