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

/**
 * A libSQL server over HTTP, for several gateways at once: one request after the other, each of which
 * leaves no transaction open. That is all that is asked of it.
 */
export class DatabaseServer {
  readonly #engine: Engine;
  readonly #stored = new Map<number, string>();
  readonly #prepared = new Map<string, Prepared>();
  #batons = 0;

  constructor(path: string) {
    this.#engine = new Database(path);
  }

  close(): void {
    this.#engine.close();
  }

  readonly answer: Fetch = async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/v2") return new Response("ok");
    if (pathname !== "/v2/pipeline") return new Response("not found", { status: 404 });
    const { requests } = await request.json() as { requests: readonly Asked[] };
    const results = requests.map((asked) => this.#resultOf(asked));
    if (this.#engine.inTransaction) this.#engine.exec("ROLLBACK");
    const isClosed = requests.some(({ type }) => type === "close");
    const baton = isClosed ? null : `baton-${++this.#batons}`;
    return Response.json({ baton, base_url: null, results });
  };

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
        this.#engine.exec(asked.sql ?? this.#stored.get(asked.sql_id!) ?? "");
        return {};
      case "store_sql":
        this.#stored.set(asked.sql_id, asked.sql);
        return {};
      case "close_sql":
        this.#stored.delete(asked.sql_id);
        return {};
      case "get_autocommit":
        return { is_autocommit: !this.#engine.inTransaction };
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
          return !this.#engine.inTransaction;
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
      this.#engine.exec(text);
      return { cols: [], rows: [], affected_row_count: 0, last_insert_rowid: null };
    }
    const { statement, cols } = this.#prepared.getOrInsertComputed(text, () => this.#prepare(text));
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
    const statement = this.#engine.prepare(text);
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
