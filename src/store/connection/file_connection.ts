import { LibsqlError } from "@libsql/core/api";
import Database from "libsql";
import { invariant, present } from "../../base/assert.ts";
import { Lru } from "../../base/lru.ts";
import type { Answer, Bound, Mode, OpenConnection, SqlRow, Statement } from "./connection.ts";

/** Enough for a busy gateway's statements; rare ones are prepared again. */
const PREPARED_MAX = 1_000;
const CACHE_KIB = 16 * 1_024;
/** Of the write-ahead log, until they are copied into the file: a page that changes often, once. */
const LOG_PAGES = 3_000;

type Engine = InstanceType<typeof Database>;

interface Prepared {
  readonly statement: {
    run(args: Bound[]): unknown;
    get(args: Bound[]): Bound[] | undefined;
    all(args: Bound[]): Bound[][];
  };
  /** The answer's columns; empty if it answers nothing. */
  readonly columns: readonly string[];
}

/**
 * A database file, through the engine inside @libsql/client. The client prepares each statement
 * every time, which takes as long as running it, and leaks some bytes; here each is prepared once.
 */
export class FileConnection implements OpenConnection {
  #database: Engine | undefined;
  #isClosed = false;
  #prepared = new Lru<string, Prepared>(PREPARED_MAX);

  readonly writer = this;
  readonly reads = this;

  constructor(readonly path: string) {}

  batch(statements: readonly Statement[], mode: Mode): Promise<Answer[]> {
    // The engine doesn't check this: it would end the program.
    if (this.#isClosed) return Promise.reject(new LibsqlError(CLOSED, "CLIENT_CLOSED"));
    try {
      return Promise.resolve(this.#runAll(statements, mode));
    } catch (error) {
      this.#leave();
      return Promise.reject(asClientError(error));
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  #drop(): void {
    this.#prepared.clear();
    this.#database?.close();
    this.#database = undefined;
  }

  /** Opened by the first batch, so that an error is that batch's, and the next one tries again. */
  get #engine(): Engine {
    return this.#database ??= open(this.path);
  }

  #runAll(statements: readonly Statement[], mode: Mode): Answer[] {
    // A single statement reads a single state anyway.
    const [first] = statements;
    if (mode === "read" && first && statements.length === 1) return [this.#run(first)];
    // Not prepared: a prepared BEGIN that finds the database busy would make its connection
    // unusable.
    this.#engine.exec(mode === "write" ? "BEGIN IMMEDIATE" : "BEGIN");
    const answers = statements.map((statement) => this.#run(statement));
    this.#engine.exec("COMMIT");
    return answers;
  }

  #run({ sql, args, isOneRow }: Statement): Answer {
    const { statement, columns } = this.#prepare(sql);
    if (columns.length === 0) {
      statement.run(args);
      return NOTHING;
    }
    const rows = isOneRow
      ? [present(statement.get(args), "It answers a row")]
      : statement.all(args);
    return { rows: rows.map((values) => named(columns, values)) };
  }

  #prepare(sql: string): Prepared {
    let prepared = this.#prepared.get(sql);
    if (!prepared) {
      const statement = this.#engine.prepare(sql);
      const columns = statement.reader ? statement.columns().map(({ name }) => name) : [];
      if (statement.reader) statement.raw(true).safeIntegers(true);
      prepared = { statement: statement as unknown as Prepared["statement"], columns };
      this.#prepared.set(sql, prepared);
    }
    return prepared;
  }

  /** Undoes the whole batch. */
  #leave(): void {
    try {
      if (this.#database?.inTransaction) this.#database.exec("ROLLBACK");
    } catch {
      // Closing it rolls back what was open.
      this.#drop();
    }
  }
}

function open(path: string): Engine {
  const engine = new Database(path);
  try {
    engine.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA wal_autocheckpoint = ${LOG_PAGES}`);
    return engine;
  } catch (error) {
    engine.close();
    throw error;
  }
}

/** As the client's error class, which `writeFaultOf` understands. */
function asClientError(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const { message, code, rawCode } = error;
  return new LibsqlError(message, code, code, rawCode, error);
}

const CLOSED = "The database is closed";
const NOTHING: Answer = { rows: [] };

/** Integers arrive as bigint, so that one too large for a number is noticed. */
function named(columns: readonly string[], values: readonly Bound[]): SqlRow {
  const row: SqlRow = {};
  columns.forEach((name, i) => {
    const value = values[i] ?? null;
    row[name] = typeof value === "bigint" ? Number(value) : value;
    invariant(
      typeof value !== "bigint" || Number.isSafeInteger(row[name]),
      () => `${name} is beyond what a number holds`,
    );
  });
  return row;
}
