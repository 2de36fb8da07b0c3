import { one } from "../../base/lists.ts";
import { invariant } from "../../base/assert.ts";
import { randomToken } from "../../base/bytes.ts";
import { TurnBatches } from "../../base/waiting/batches.ts";
import { type Clock, sleep, systemClock } from "../../base/clock.ts";
import { CoalescedReads } from "./coalesced_reads.ts";
import { NoAnswer } from "../connection/answer_limits.ts";
import type { DatabasePlace } from "../connection/connect.ts";
import { Unavailable, WriteFault } from "../connection/faults.ts";
import type { Bound, Connection, SqlRow, SqlValue, Statement } from "../connection/connection.ts";
import { GroupCommit, type Unit } from "./group_commit.ts";
import { openConnection } from "../connection/open_connection.ts";
import type { Seals } from "./seals.ts";
import {
  type AnyRow,
  columnList,
  type KeyValues,
  mustExist,
  PRIMARY,
  rowsFromJson,
  type Table,
} from "../tables/table.ts";
import { TABLES } from "../tables/tables.ts";
import { writeProbe } from "./write_probe.ts";

const READ_ATTEMPTS_MAX = 4;
/** Whoever has waited as long is told, instead of waiting again. */
const READ_MS = 5_000;
const LOOK_UPS_TOGETHER_MAX = 500;

export type { SqlValue };

/** The whole store for its callers: one writer, and reads. Nobody else gets a connection. */
export interface Db {
  write<T>(unit: Unit<T>): Promise<T>;
  /** One row by a unique key. Concurrent look-ups share one statement. */
  find<Row extends AnyRow>(
    table: Table<Row>,
    values: KeyValues,
    key?: string,
  ): Promise<Row | undefined>;
  /** Like `find`, for a row that must be there. */
  get<Row extends AnyRow>(table: Table<Row>, values: KeyValues, key?: string): Promise<Row>;
  /** All rows with these values, unordered. Concurrent look-ups share one statement. */
  list<Row extends AnyRow>(table: Table<Row>, where: Partial<Row>): Promise<readonly Row[]>;
  /** `tail` follows the table's name: WHERE, ORDER BY, LIMIT. */
  rows<Row extends AnyRow>(
    table: Table<Row>,
    tail: string,
    args?: readonly SqlValue[],
  ): Promise<Row[]>;
  query(sql: string, args?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** By kind: look-ups of one turn of the event loop, which share one statement. */
  readonly lookUps: TurnBatches;
  /** For migrations and pruning: outside the units, in one transaction. */
  execute(statements: readonly { sql: string; args?: readonly SqlValue[] }[]): Promise<void>;
  queueDepth(): number;
  /**
   * False after a failed write until one succeeds, and while one hangs; tries one itself once a
   * second.
   */
  takesWrites(): Promise<boolean>;
  /**
   * Calls the listener after each commit of this process that added rows to the table. Returns a
   * function that ends it.
   */
  onInsert(table: Table<AnyRow>, listener: () => void): () => void;
  /** Seals protected rows with this from now on, and checks those that are read. */
  protect(seals: Seals): void;
  /** Whether a row read from here is as this program wrote it. A copy of a row never is. */
  isGenuine<Row extends AnyRow>(table: Table<Row>, row: Row): boolean;
  /** Undefined until their key is known. */
  seals(): Seals | undefined;
  /** Changes whenever this process changes configuration, which makes caches outdated. */
  configWrites(): number;
  /** Waits for queued units, then closes. */
  close(): Promise<void>;
}

interface DbOptions extends DatabasePlace {
  readonly clock?: Clock;
}

export async function openDb({ url, token, clock = systemClock }: DbOptions): Promise<Db> {
  const connection = await openConnection({ url, token });
  const instance = randomToken(12);
  const writer = new GroupCommit({
    connection: connection.writer,
    tables: TABLES,
    instance,
    clock,
  });
  const readOnly = persistent(connection.reads);
  const reads = new CoalescedReads(readOnly);
  const ask = async (statement: Statement) => one(await readOnly.batch([statement], "read")).rows;
  const query = async (sql: string, args: readonly SqlValue[] = []) =>
    await ask({ sql, args: args.map(bindable) });
  return {
    write: (unit) => writer.run(unit),
    find: (table, values, key = PRIMARY) => reads.find(table, values, key),
    get: async (table, values, key) =>
      mustExist(await reads.find(table, values, key), { table, values }),
    list: (table, where) => reads.list(table, where),
    rows: async (table, tail, args = []) => {
      const sql = `SELECT json_group_array(json_array(${columnList(table)})) AS rows
FROM (SELECT * FROM ${table.name} ${tail})`;
      const found = await ask({ sql, args: args.map(bindable), isOneRow: true });
      return rowsFromJson(table, one(found).rows);
    },
    query,
    lookUps: new TurnBatches(LOOK_UPS_TOGETHER_MAX),
    execute: executeOn(connection),
    queueDepth: () => writer.depth,
    protect: (seals) => void (writer.seals = seals),
    isGenuine: (table, row) => !writer.seals || writer.seals.isRight(table, row),
    seals: () => writer.seals,
    takesWrites: writeProbe({ writer, execute: executeOn(connection.writer), clock }),
    configWrites: () => writer.configWrites,
    onInsert: (table, listener) => writer.onInsert(table, listener),
    close: async () => {
      await writer.idle();
      connection.close();
    },
  };
}

/** For a statement that always returns exactly one row. */
export async function queryOne(
  db: Db,
  sql: string,
  args?: readonly SqlValue[],
): Promise<SqlRow> {
  return one(await db.query(sql, args));
}

function executeOn({ batch }: Connection): Db["execute"] {
  return async (statements) => {
    const bound = statements.map(({ sql, args = [] }) => ({ sql, args: args.map(bindable) }));
    await batch(bound, "write");
  };
}

/** Reads may be repeated: waits until a passing failure is over, and throws if it doesn't end. */
function persistent(connection: Connection): Connection {
  return {
    batch: async (statements, mode) => {
      const untilMs = performance.now() + READ_MS;
      for (let attempt = 1;; attempt++) {
        try {
          return await connection.batch(statements, mode);
        } catch (error) {
          if (!(error instanceof WriteFault)) throw error;
          const isSilent = error.cause instanceof NoAnswer;
          if (isSilent || attempt === READ_ATTEMPTS_MAX || performance.now() >= untilMs) {
            throw new Unavailable("The database does not answer", { cause: error });
          }
          await sleep(20 * attempt);
        }
      }
    },
  };
}

/** A JS number would be bound as REAL: 1 in a TEXT column would read "1.0". */
function bindable(value: SqlValue): Bound {
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value !== "number") return value;
  invariant(Number.isSafeInteger(value), `Cannot bind ${value}`);
  return BigInt(value);
}
