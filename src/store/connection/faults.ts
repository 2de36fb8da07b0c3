import { LibsqlError } from "@libsql/core/api";
import { InvariantError } from "../../base/assert.ts";

/**
 * busy: another program is writing; stale: another program wrote since we read; lost: no answer
 * came, so the write may have happened; refused: the disk is full or read-only, or the database was
 * moved; conflict: a unique key is taken; broken_rule: another constraint failed, which is a bug of
 * ours.
 */
export type WriteFaultKind = "busy" | "stale" | "lost" | "refused" | "conflict" | "broken_rule";

export class WriteFault extends Error {
  override name = "WriteFault";

  constructor(readonly kind: WriteFaultKind, options: { cause: Error }) {
    super(options.cause.message, options);
  }
}

/** The database can't be reached or doesn't accept writes now. The caller may try again. */
export class Unavailable extends Error {
  override name = "Unavailable";
}

/** Undefined for errors that certainly failed and that no retry can fix. */
export function writeFaultOf(error: unknown): WriteFault | undefined {
  if (!(error instanceof Error) || error instanceof InvariantError) return undefined;
  // The remote client's fetch failed or its answer was unreadable: the write may have happened.
  const kind = error instanceof LibsqlError ? kindOf(error) : "lost";
  return kind && new WriteFault(kind, { cause: error });
}

/** The server rejects the token, so retrying is pointless. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof LibsqlError &&
    (error.code.startsWith("AUTH_") || /HTTP status 40[13]|AUTH_JWT/.test(error.message));
}

const TAKEN_KEY = /(UNIQUE|PRIMARY KEY) constraint failed/i;
const CONSTRAINT = /constraint failed|SQLITE_CONSTRAINT/i;
const BUSY = /^(SQLITE_BUSY|SQLITE_LOCKED|TRANSACTION_TIMEOUT|TRANSACTION_ACTIVE)/;
/** Of the mark in a file whose database is on a server now. */
export const MOVED = "This database was moved to";
/** A failing disk may have kept the data: after a restart the write may be there. */
const UNSURE = /^SQLITE_IOERR/;
/** Nothing was written; an operator has to make room. */
const NO_WRITES = /^SQLITE_(FULL|READONLY|CANTOPEN|PERM)/;
/** The database rejected a statement, or it was never sent. */
const REFUSED = /^(SQL|ARGS_|URL_)/;

function kindOf(error: LibsqlError): WriteFaultKind | undefined {
  if (isUnauthorized(error)) return undefined;
  if (error.message.includes("write_clock.epoch")) return "stale";
  if (error.message.includes(MOVED)) return "refused";
  if (TAKEN_KEY.test(error.message)) return "conflict";
  if (CONSTRAINT.test(error.message) || CONSTRAINT.test(error.code)) return "broken_rule";
  if (BUSY.test(error.code) || /SQLITE_BUSY|database is locked/.test(error.message)) return "busy";
  if (NO_WRITES.test(error.code) || /database or disk is full/.test(error.message)) {
    return "refused";
  }
  return REFUSED.test(error.code) && !UNSURE.test(error.code) ? undefined : "lost";
}
