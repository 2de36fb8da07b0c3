import assert from "node:assert/strict";
import { LibsqlError } from "@libsql/client";
import { InvariantError } from "../../../src/base/assert.ts";
import { type WriteFaultKind, writeFaultOf } from "../../../src/store/connection/faults.ts";

const CODES: readonly (readonly [code: string, message: string, WriteFaultKind | undefined])[] = [
  ["SQLITE_BUSY", "database is locked", "busy"],
  ["SQLITE_LOCKED", "database table is locked", "busy"],
  ["TRANSACTION_TIMEOUT", "Transaction timed out", "busy"],
  ["TRANSACTION_ACTIVE", "held by open transactions", "busy"],
  ["SQLITE_UNKNOWN", "SQLite error: database is locked", "busy"],
  ["SQLITE_CONSTRAINT", "NOT NULL constraint failed: write_clock.epoch", "stale"],
  ["SQLITE_CONSTRAINT", "SQLite error: NOT NULL constraint failed: write_clock.epoch", "stale"],
  ["SQLITE_CONSTRAINT", "UNIQUE constraint failed: withdrawals.key_id", "conflict"],
  ["SQLITE_CONSTRAINT", "SQLite error: UNIQUE constraint failed: addresses.address", "conflict"],
  ["STREAM_EXPIRED", "The stream has expired", "lost"],
  ["HRANA_WEBSOCKET_ERROR", "WebSocket was closed", "lost"],
  ["HRANA_CLOSED_ERROR", "Client is closed", "lost"],
  ["SERVER_ERROR", "Server returned HTTP status 503", "lost"],
  ["UNKNOWN", "upstream request timeout", "lost"],
  ["HRANA_PROTO_ERROR", "Expected an object", "lost"],
  ["INTERNAL_ERROR", "something of the client's own", "lost"],
  ["RESPONSE_TOO_LARGE", "Response is too large", "lost"],
  ["SQLITE_IOERR", "disk I/O error", "lost"],
  ["SQLITE_IOERR_FSYNC", "disk I/O error", "lost"],
  ["SQL_PARSE_ERROR", "SQL string could not be parsed", undefined],
  ["SERVER_ERROR", "Server returned HTTP status 401", undefined],
  ["SQLITE_FULL", "database or disk is full", "refused"],
  ["SQLITE_UNKNOWN", "SQLite error: database or disk is full", "refused"],
  ["SQLITE_CANTOPEN", "unable to open database file", "refused"],
  ["SQLITE_CORRUPT", "database disk image is malformed", undefined],
  ["SQLITE_ERROR", "no such table: x", undefined],
  ["SQLITE_READONLY", "attempt to write a readonly database", "refused"],
];

for (const [code, message, kind] of CODES) {
  Deno.test(`${code} with "${message}" is ${kind ?? "no fault that a retry could fix"}`, () => {
    const fault = writeFaultOf(new LibsqlError(message, code));
    assert.equal(fault?.kind, kind);
    if (fault) assert.ok((fault.cause as Error).message.includes(message));
  });
}

for (
  const message of [
    "error sending request for url (http://127.0.0.1:1/v2/pipeline)",
    "client error (SendRequest): connection closed before message completed",
    "fetch failed",
    "error reading a body from connection",
  ]
) {
  Deno.test(`a request that failed with "${message}" is lost: it may have arrived`, () => {
    assert.equal(writeFaultOf(new TypeError(message))?.kind, "lost");
  });
}

Deno.test("an answer that can't be read is lost: the write may have happened", () => {
  for (const error of [new SyntaxError("Unexpected token '<'"), new Error("unexpected")]) {
    assert.equal(writeFaultOf(error)?.kind, "lost");
  }
});

Deno.test("a broken invariant of ours, and anything that is no error, is no fault of a write", () => {
  for (const error of [new InvariantError("mine"), "text", null, undefined]) {
    assert.equal(writeFaultOf(error), undefined);
  }
});
