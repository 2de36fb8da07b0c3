import Database from "libsql";
import type { Fetch } from "./outside.ts";

interface Value {
  readonly type: "null" | "integer" | "float" | "text" | "blob";
  readonly value?: string | number;
  readonly base64?: string;
}

interface Stmt {
  readonly sql?: string;
  readonly sql_id?: number;
  readonly args?: readonly Value[];
}

type Condition =
  | { readonly type: "ok" | "error"; readonly step: number }
  | { readonly type: "not"; readonly cond: Condition }
  | { readonly type: "and" | "or"; readonly conds: readonly Condition[] }
  | { readonly type: "is_autocommit" };

interface Step {
  readonly condition?: Condition | null;
  readonly stmt: Stmt;
}

type Asked =
  | { readonly type: "execute"; readonly stmt: Stmt }
  | { readonly type: "batch"; readonly batch: { readonly steps: readonly Step[] } }
  | { readonly type: "sequence"; readonly sql?: string; readonly sql_id?: number }
  | { readonly type: "store_sql"; readonly sql_id: number; readonly sql: string }
  | { readonly type: "close_sql"; readonly sql_id: number }
  | { readonly type: "get_autocommit" }
  | { readonly type: "close" };

interface Fault {
  readonly message: string;
  readonly code: string;
}

type Engine = InstanceType<typeof Database>;

interface Prepared {
  readonly statement: ReturnType<Engine["prepare"]>;
  readonly cols: readonly { readonly name: string; readonly decltype: null }[];
}

/** Ends the name of a stream with an open transaction. */
const OPEN = "-open";
/** Longer than any of ours waits between two requests of one transaction. */
const STREAM_MS_MAX = 10_000;

interface Connection {
  readonly engine: Engine;
  readonly prepared: Map<string, Prepared>;
}

/**
 * A libSQL server over HTTP, for several gateways at once. What a request leaves open of a
 * transaction is the next request's of the same stream, and rolled back if that doesn't come.
 */
export class DatabaseServer {
  readonly #path: string;
  readonly #clock: { readonly nowMs: number };
  readonly #stored = new Map<number, string>();
  readonly #idle: Connection[] = [];
  readonly #open = new Map<string, { readonly connection: Connection; readonly untilMs: number }>();
  #now: Connection;
  #batons = 0;

  constructor(path: string, clock: { readonly nowMs: number }) {
    this.#path = path;
    this.#clock = clock;
    this.#now = this.#connect();
    // Or whoever reads would lock out whoever writes.
    this.#now.engine.exec("PRAGMA journal_mode = WAL");
    this.#idle.push(this.#now);
  }

  close(): void {
    for (const { connection } of this.#open.values()) connection.engine.close();
    for (const { engine } of this.#idle) engine.close();
  }

  readonly answer: Fetch = async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/v2") return new Response("ok");
    if (pathname !== "/v2/pipeline") return new Response("not found", { status: 404 });
    const { requests, baton } = await request.json() as {
      requests: readonly Asked[];
      baton?: string | null;
    };
    this.#expire();
    const stream = baton ?? `baton-${++this.#batons}`;
    const held = this.#open.get(stream);
    if (!held && stream.endsWith(OPEN)) {
      return Response.json({ message: "The stream has expired" }, { status: 400 });
    }
    this.#open.delete(stream);
    this.#now = held?.connection ?? this.#idle.pop() ?? this.#connect();
    const results = requests.map((asked) => this.#resultOf(asked));
    if (requests.some(({ type }) => type === "close")) {
      this.#free(this.#now);
      return Response.json({ baton: null, base_url: null, results });
    }
    const next = `baton-${++this.#batons}${this.#now.engine.inTransaction ? OPEN : ""}`;
    if (this.#now.engine.inTransaction) {
      this.#open.set(next, {
        connection: this.#now,
        untilMs: this.#clock.nowMs + STREAM_MS_MAX,
      });
    } else this.#free(this.#now);
    return Response.json({ baton: next, base_url: null, results });
  };

  #connect(): Connection {
    return { engine: new Database(this.#path), prepared: new Map() };
  }

  #free(connection: Connection): void {
    if (connection.engine.inTransaction) connection.engine.exec("ROLLBACK");
    this.#idle.push(connection);
  }

  #expire(): void {
    for (const [stream, { connection, untilMs }] of this.#open) {
      if (untilMs > this.#clock.nowMs) continue;
      this.#open.delete(stream);
      this.#free(connection);
    }
  }

  #resultOf(asked: Asked): unknown {
    try {
      return { type: "ok", response: { type: asked.type, ...this.#do(asked) } };
    } catch (error) {
      return { type: "error", error: faultOf(error) };
    }
  }

  #do(asked: Asked): object {
    switch (asked.type) {
      case "execute":
        return { result: this.#execute(asked.stmt) };
      case "batch":
        return { result: this.#batch(asked.batch.steps) };
      case "sequence":
        this.#now.engine.exec(asked.sql ?? this.#stored.get(asked.sql_id!) ?? "");
        return {};
      case "store_sql":
        this.#stored.set(asked.sql_id, asked.sql);
        return {};
      case "close_sql":
        this.#stored.delete(asked.sql_id);
        return {};
      case "get_autocommit":
        return { is_autocommit: !this.#now.engine.inTransaction };
      case "close":
        return {};
    }
  }

  #batch(steps: readonly Step[]): object {
    const results: (object | null)[] = [];
    const errors: (Fault | null)[] = [];
    const isSo = (condition: Condition): boolean => {
      switch (condition.type) {
        case "ok":
          return results[condition.step] !== null;
        case "error":
          return errors[condition.step] !== null;
        case "not":
          return !isSo(condition.cond);
        case "and":
          return condition.conds.every(isSo);
        case "or":
          return condition.conds.some(isSo);
        case "is_autocommit":
          return !this.#now.engine.inTransaction;
      }
    };
    for (const { condition, stmt } of steps) {
      let result: object | null = null;
      let error: Fault | null = null;
      if (!condition || isSo(condition)) {
        try {
          result = this.#execute(stmt);
        } catch (thrown) {
          error = faultOf(thrown);
        }
      }
      results.push(result);
      errors.push(error);
    }
    return { step_results: results, step_errors: errors };
  }

  #execute({ sql, sql_id, args = [] }: Stmt): object {
    const text = sql ?? this.#stored.get(sql_id!) ?? "";
    if (/^(?:BEGIN|COMMIT|ROLLBACK)\b/.test(text)) {
      this.#now.engine.exec(text);
      return { cols: [], rows: [], affected_row_count: 0, last_insert_rowid: null };
    }
    const { statement, cols } = this.#now.prepared.getOrInsertComputed(
      text,
      () => this.#prepare(text),
    );
    const bound = args.map(bindable);
    if (cols.length === 0) {
      const { changes } = statement.run(bound);
      return { cols, rows: [], affected_row_count: changes, last_insert_rowid: null };
    }
    const rows = statement.all(bound) as unknown[][];
    return {
      cols,
      rows: rows.map((row) => row.map(shownValue)),
      affected_row_count: 0,
      last_insert_rowid: null,
    };
  }

  #prepare(text: string): Prepared {
    const statement = this.#now.engine.prepare(text);
    if (!statement.reader) return { statement, cols: [] };
    statement.raw(true).safeIntegers(true);
    return { statement, cols: statement.columns().map(({ name }) => ({ name, decltype: null })) };
  }
}

function bindable({ type, value, base64 }: Value): unknown {
  switch (type) {
    case "null":
      return null;
    case "integer":
      return BigInt(value!);
    case "blob":
      return Uint8Array.fromBase64(base64!);
    case "float":
    case "text":
      return value;
  }
}

function shownValue(value: unknown): Value {
  if (value === null) return { type: "null" };
  if (typeof value === "bigint") return { type: "integer", value: String(value) };
  if (typeof value === "number") return { type: "float", value };
  if (typeof value === "string") return { type: "text", value };
  return { type: "blob", base64: (value as Uint8Array).toBase64() };
}

function faultOf(error: unknown): Fault {
  if (!(error instanceof Database.SqliteError)) throw error;
  return { message: `SQLite error: ${error.message}`, code: error.code };
}
