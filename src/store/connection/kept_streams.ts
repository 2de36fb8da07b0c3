import { LibsqlError } from "@libsql/core/api";
import {
  BatchCond,
  ClientError,
  type HttpClient,
  HttpServerError,
  type HttpStream,
  ResponseError,
  type Row,
  Stmt,
} from "@libsql/hrana-client";
import { Places } from "../../base/waiting/places.ts";
import type { Answer, Connection, Mode, SqlRow, Statement } from "./connection.ts";

/** Most are free again within a millisecond or two; behind slow ones nobody waits for longer. */
const WAIT_MAX_MS = 200;
/** A server closes a stream that was silent for 10 s. */
const IDLE_MAX_MS = 4_000;
const BEGIN: Readonly<Record<Mode, string>> = {
  read: "BEGIN TRANSACTION READONLY",
  write: "BEGIN IMMEDIATE",
};

interface KeptStreamsOptions {
  readonly client: HttpClient;
  readonly streamsMax: number;
  /** Takes what found every stream busy for too long. */
  readonly overflow: Connection;
  readonly nowMs?: () => number;
  readonly waitMaxMs?: number;
}

/**
 * A database server over HTTP. @libsql/client opens a stream for each batch, and for each stream the
 * server reads the whole schema, which takes longer than the batch. Here streams stay open. Nothing
 * is ever sent twice: whoever asked knows whether that is safe.
 */
export class KeptStreams implements Connection {
  readonly #client: HttpClient;
  readonly #overflow: Connection;
  readonly #nowMs: () => number;
  /** None has a transaction. The one used last is at the end. */
  readonly #idle: { readonly stream: HttpStream; readonly sinceMs: number }[] = [];
  readonly #places: Places;

  constructor(
    { client, streamsMax, overflow, nowMs = () => performance.now(), waitMaxMs = WAIT_MAX_MS }:
      KeptStreamsOptions,
  ) {
    this.#client = client;
    this.#overflow = overflow;
    this.#nowMs = nowMs;
    this.#places = new Places(streamsMax, { waitMaxMs });
  }

  async batch(statements: readonly Statement[], mode: Mode): Promise<readonly Answer[]> {
    if (!await this.#places.take()) return await this.#overflow.batch(statements, mode);
    try {
      return await this.#runOn(this.#take(), { statements, mode });
    } catch (error) {
      throw asClientError(error);
    } finally {
      this.#places.leave();
    }
  }

  #take(): HttpStream {
    const oldestMs = this.#nowMs() - IDLE_MAX_MS;
    this.#closeIdle(({ sinceMs }) => sinceMs < oldestMs);
    return this.#idle.pop()?.stream ?? this.#client.openStream();
  }

  #closeIdle(isOver: (idle: { readonly sinceMs: number }) => boolean): void {
    for (let first = this.#idle[0]; first && isOver(first); first = this.#idle[0]) {
      this.#idle.shift();
      first.stream.close();
    }
  }

  async #runOn(stream: HttpStream, sent: Sent): Promise<readonly Answer[]> {
    try {
      const answers = await run(stream, sent);
      this.#idle.push({ stream, sinceMs: this.#nowMs() });
      return answers;
    } catch (error) {
      // It is closed already if the server is gone or doesn't know it, and then so are the others.
      if (stream.closed) this.#closeIdle(() => true);
      // Whatever it was doing, the server undoes.
      stream.close();
      throw error;
    }
  }
}

interface Sent {
  readonly statements: readonly Statement[];
  readonly mode: Mode;
}

/** If it succeeds, the transaction has ended. */
async function run(stream: HttpStream, { statements, mode }: Sent): Promise<readonly Answer[]> {
  const batch = stream.batch(false);
  let last = batch.step();
  const begun = last.run(BEGIN[mode]);
  const queries = statements.map(({ sql, args }) => {
    last = batch.step().condition(BatchCond.ok(last));
    return last.query(new Stmt(sql).bindIndexes(args));
  });
  const commit = batch.step().condition(BatchCond.ok(last));
  const committed = commit.run("COMMIT");
  const undo = batch.step().condition(BatchCond.not(BatchCond.ok(commit)));
  undo.run("ROLLBACK").catch(() => {});
  const [end, results] = await Promise.all([
    committed,
    Promise.all(queries),
    begun,
    batch.execute(),
  ]);
  if (!end) throw notRun();
  return results.map((result) => {
    if (!result) throw notRun();
    return { rows: result.rows.map(plain) };
  });
}

function notRun(): LibsqlError {
  return new LibsqlError("The server left out a statement", "TRANSACTION_CLOSED");
}

function plain(row: Row): SqlRow {
  const values: SqlRow = {};
  for (const [name, value] of Object.entries(row)) {
    if (typeof value === "bigint" || value instanceof ArrayBuffer) {
      throw new LibsqlError(`${name} is neither text nor a safe number`, "UNREADABLE");
    }
    values[name] = value;
  }
  return values;
}

/** As the client's error class, which `writeFaultOf` understands. */
function asClientError(error: unknown): unknown {
  if (!(error instanceof ClientError)) return error;
  return new LibsqlError(error.message, codeOf(error), undefined, undefined, error);
}

function codeOf(error: ClientError): string {
  if (error instanceof ResponseError && error.code !== undefined) return error.code;
  return error instanceof HttpServerError ? "SERVER_ERROR" : "HRANA_ERROR";
}
