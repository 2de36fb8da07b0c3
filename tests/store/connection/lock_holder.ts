/**
 * Another program: takes the write lock of a database file, adds a row, and releases the lock on
 * request.
 */
import { DatabaseSync } from "node:sqlite";

const db = new DatabaseSync(Deno.args[0]!);
const encoder = new TextEncoder();
const say = (word: string) => Deno.stdout.writeSync(encoder.encode(`${word}\n`));

db.exec("BEGIN IMMEDIATE");
db.exec(
  "INSERT INTO audit_log (at_ms, actor, action, subject, detail) VALUES (1, 'x', 'y', 'z', '{}')",
);
say("locked");
for await (const _ of Deno.stdin.readable) break;
db.exec("COMMIT");
db.close();
say("released");
