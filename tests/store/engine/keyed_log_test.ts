import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { verifyAudit } from "../../../src/integrity/verify_audit.ts";
import { createMac } from "../../../src/base/secrets/mac.ts";
import { auditEnd } from "../../../src/audit/reads/audit.ts";
import { AuditLog } from "../../../src/audit/table.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { Seals } from "../../../src/store/engine/seals.ts";
import { makeAudit } from "../reads/make_users.ts";
import { makeDatabase, type TestDatabase, testOnBoth } from "../databases.ts";

const MAC = createMac(new Uint8Array(32).fill(7));
const { id: _, ...ROW } = makeAudit({ id: 0 });
const OLD = 5;
const ALL = 10;

async function note(db: Db, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    await db.write({
      reads: [],
      decide: (view) => view.insert(AuditLog, { ...ROW, subject: `row ${i}` }),
    });
  }
}

/** Five rows from before the log was keyed, and five since. */
async function makeLog(database: TestDatabase): Promise<Db> {
  const db = await database.open();
  await note(db, OLD);
  const { newest } = await auditEnd(db);
  db.protect(new Seals(MAC, newest, { isBeginning: true }));
  await note(db, 1);
  db.protect(new Seals(MAC, newest));
  await note(db, ALL - OLD - 1);
  return db;
}

testOnBoth(
  "a log that began without a key continues with one, and is complete",
  async (database) => {
    const db = await makeLog(database);
    const verdict = await verifyAudit({ db });
    assert.deepEqual([verdict.verified, verdict.brokenId, verdict.head?.id], [ALL, null, ALL]);
    assert.deepEqual((await auditEnd(db)).newest, verdict.head);
  },
);

type Rows = Record<string, unknown>[];

/** Forges the hashes like an attacker who knows how the old hashes were made. */
function rehash(rows: Rows, from: number): Rows {
  let before = rows.find(({ id }) => Number(id) === from - 1)?.hash ?? "";
  for (const row of rows.filter(({ id }) => Number(id) >= from)) {
    const values = AuditLog.columns.filter(({ name }) => name !== "hash").map(({ name }) =>
      row[name]
    );
    const text = `${before}\n${JSON.stringify(values)}`;
    row.hash = before = createHash("sha256").update(text).digest("hex");
  }
  return rows;
}

const FORGERIES: readonly (readonly [string, (rows: Rows) => Rows, number, string?])[] = [
  ["a row changed, and all hashes from there", (rows) => {
    rows[7]!.actor = "thief";
    return rehash(rows, 8);
  }, 8],
  ["a row from before the key changed, and all hashes from there", (rows) => {
    rows[2]!.actor = "thief";
    return rehash(rows, 3);
  }, 6],
  ["the same, and only the hashes of before the key", (rows) => {
    rows[2]!.actor = "thief";
    return [...rehash(rows.slice(0, OLD), 3), ...rows.slice(OLD)];
  }, 6],
  ["a row put in at the end", (rows) => rehash([...rows, { ...rows[9]!, id: 11 }], 11), 11],
  ["the keyed rows taken away", (rows) => rows.slice(0, OLD), 6],
  ["the newest row cut off, and what counts them", (rows) => rows.slice(0, -1), 10],
  [
    "the same, and no head is kept",
    (rows) => rows.slice(0, -1),
    10,
    "UPDATE write_clock SET audit_id = NULL, audit_hash = NULL, audit_seal = NULL",
  ],
  [
    "the same, and the row before it is called the head",
    (rows) => rows.slice(0, -1),
    9,
    "UPDATE write_clock SET audit_id = 9, audit_hash = (SELECT hash FROM audit_log WHERE id = 9)",
  ],
  ["two rows swapped", (rows) => {
    [rows[7]!.subject, rows[8]!.subject] = [rows[8]!.subject, rows[7]!.subject];
    return rehash(rows, 8);
  }, 8],
];

for (const [what, forge, brokenId, sql] of FORGERIES) {
  Deno.test(`a log that somebody without the key rewrote is noticed: ${what}`, async () => {
    await using database = await makeDatabase("an embedded file");
    const db = await makeLog(database);
    const client = database.client();
    const { rows } = await client.execute("SELECT * FROM audit_log ORDER BY id");
    const forged = forge(rows.map((row) => ({ ...row })));
    await client.execute("DROP TRIGGER audit_log_no_delete");
    await client.execute("DELETE FROM audit_log");
    const names = AuditLog.columns.map(({ name }) => name);
    for (const row of forged) {
      await client.execute({
        sql: `INSERT INTO audit_log (${names}) VALUES (${names.map(() => "?")})`,
        args: names.map((name) => row[name] as string),
      });
    }
    await client.execute({
      sql: "UPDATE sqlite_sequence SET seq = ? WHERE name = 'audit_log'",
      args: [BigInt(forged.length)],
    });
    if (sql) await client.execute(sql);
    assert.equal((await verifyAudit({ db })).brokenId, brokenId);
    // Later rows don't repair it.
    await note(db, 2);
    assert.notEqual((await verifyAudit({ db })).brokenId, null);
  });
}
