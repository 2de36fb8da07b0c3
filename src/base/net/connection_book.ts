export interface ConnectionLimits {
  readonly max: number;
  readonly perSourceMax: number;
  /** From the start of a connection to the end of its first request's headers. */
  readonly headersMs: number;
  /** From an answer to the next request, and for reading the answer. */
  readonly idleMs: number;
}

/** Null: our own proxy, which many people share, so it has no limit of its own. */
export type Source = string | null;

export interface OpenConnection {
  readonly source: Source;
  readonly close: () => void;
  /** Requests in progress. */
  running: number;
  /** Closed at this time unless a request begins before. */
  dueAtMs: number;
  /** Streams whose last part isn't taken yet, oldest first, each with its deadline. */
  readonly stalled: Map<object, number>;
}

/** Proxies keep connections longer than browsers do and would use one that we have just closed. */
const PROXY_PATIENCE = 8;
/** A client that was answered before it had sent everything gets this long to read the answer. */
const LAST_ANSWER_MS = 1_000;
/** The share of connections kept when the system runs out of file descriptors. */
const KEPT_IN_SHORTAGE = 0.75;
const SHORTAGE_MS = 60_000;
const FEWEST = 8;
/** If all are busy, sources with more connections than this give way first. */
const FAIR_SHARE = 32;

/** Knows who is connected and decides who has to go. */
export class ConnectionBook {
  readonly #limits: ConnectionLimits;
  readonly #nowMs: () => number;
  readonly #open = new Set<OpenConnection>();
  readonly #perSource = new Map<Source, number>();
  /** Requests in progress: HTTP/2 has many on one connection. */
  readonly #running = new Map<Source, number>();
  #max: number;
  #shortageEndsAtMs = 0;

  constructor(limits: ConnectionLimits, nowMs: () => number) {
    this.#limits = limits;
    this.#nowMs = nowMs;
    this.#max = limits.max;
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * At a limit the connection that has been idle longest is closed, then one of the largest source.
   * Undefined: refused, because everyone is busy.
   */
  admit(source: Source, close: () => void): OpenConnection | undefined {
    const isFromTooMany = source !== null &&
      (this.#perSource.get(source) ?? 0) >= this.#limits.perSourceMax;
    if (isFromTooMany && !this.#evict((other) => other.source === source)) return undefined;
    if (this.#open.size >= this.#max && !this.#evictAny()) return undefined;
    const dueAtMs = this.#nowMs() + this.#limits.headersMs * patience(source);
    const connection = { source, close, running: 0, dueAtMs, stalled: new Map() };
    this.#open.add(connection);
    this.#perSource.set(source, (this.#perSource.get(source) ?? 0) + 1);
    return connection;
  }

  /** False: it has left, or its source has as many requests in progress as it may have connections. */
  begin(connection: OpenConnection): boolean {
    if (!this.#open.has(connection)) return false;
    const { source } = connection;
    const running = this.#running.get(source) ?? 0;
    if (source !== null && running >= this.#limits.perSourceMax) return false;
    connection.running++;
    this.#running.set(source, running + 1);
    return true;
  }

  /** The answer has begun; a stream reports its own progress. */
  end(connection: OpenConnection, { isLast }: { isLast: boolean }): void {
    connection.running--;
    if (this.#open.has(connection)) this.#ended(connection.source, 1);
    const waitMs = this.#limits.idleMs * patience(connection.source);
    connection.dueAtMs = this.#nowMs() + (isLast ? LAST_ANSWER_MS : waitMs);
  }

  handOver(connection: OpenConnection, stream: object): void {
    connection.stalled.set(stream, this.#nowMs() + this.#limits.idleMs);
  }

  taken(connection: OpenConnection, stream: object): void {
    connection.stalled.delete(stream);
  }

  leave(connection: OpenConnection): void {
    if (!this.#open.delete(connection)) return;
    this.#ended(connection.source, connection.running);
    const left = this.#perSource.get(connection.source)! - 1;
    if (left === 0) this.#perSource.delete(connection.source);
    else this.#perSource.set(connection.source, left);
  }

  #ended(source: Source, count: number): void {
    const left = (this.#running.get(source) ?? 0) - count;
    if (left <= 0) this.#running.delete(source);
    else this.#running.set(source, left);
  }

  closeLate(): void {
    const nowMs = this.#nowMs();
    if (nowMs >= this.#shortageEndsAtMs) this.#max = this.#limits.max;
    for (const connection of [...this.#open]) {
      const [stalledAtMs = Infinity] = connection.stalled.values();
      const isIdle = connection.running === 0 && connection.dueAtMs <= nowMs;
      if (isIdle || stalledAtMs <= nowMs) this.#close(connection);
    }
  }

  /** The system is out of file descriptors, and the workers and the database need some too. */
  makeRoom(): void {
    this.#shortageEndsAtMs = this.#nowMs() + SHORTAGE_MS;
    this.#max = Math.max(FEWEST, Math.floor(this.#open.size * KEPT_IN_SHORTAGE));
    while (this.#open.size > this.#max && this.#evictAny());
  }

  #evictAny(): boolean {
    return this.#evict(() => true) || this.#evictFromMost();
  }

  /**
   * Slow requests from few sources must not keep everybody else out: the oldest of the largest
   * source goes, answered or not.
   */
  #evictFromMost(): boolean {
    let [from, most]: [Source, number] = [null, FAIR_SHARE];
    for (const [source, count] of this.#perSource) {
      if (source !== null && count > most) [from, most] = [source, count];
    }
    if (from === null) return false;
    for (const connection of this.#open) {
      if (connection.source !== from) continue;
      this.#close(connection);
      return true;
    }
    return false;
  }

  #evict(matches: (connection: OpenConnection) => boolean): boolean {
    let first: OpenConnection | undefined;
    for (const connection of this.#open) {
      if (connection.running > 0 || !matches(connection)) continue;
      if (!first || goesBefore(connection, first)) first = connection;
    }
    if (first) this.#close(first);
    return first !== undefined;
  }

  #close(connection: OpenConnection): void {
    this.leave(connection);
    connection.close();
  }
}

function patience(source: Source): number {
  return source === null ? PROXY_PATIENCE : 1;
}

function goesBefore(one: OpenConnection, other: OpenConnection): boolean {
  if ((one.source === null) !== (other.source === null)) return other.source === null;
  return one.dueAtMs < other.dueAtMs;
}
