import { invariant, InvariantError } from "../../base/assert.ts";
import { type Clock, sleep } from "../../base/clock.ts";
import { Waits } from "../../base/waiting/waits.ts";
import type { Connection } from "../connection/connection.ts";
import { Unavailable, WriteFault } from "../connection/faults.ts";
import { distinctReads } from "./distinct_reads.ts";
import { gather } from "./gathering.ts";
import { changesConfig, groupStatements } from "./group_statements.ts";
import { chainEnd } from "./chain_rows.ts";
import { readClock, selectByFields } from "./statements.ts";
import type { Seals } from "./seals.ts";
import { type AnyRow, rowsFromJson, type Table } from "../tables/table.ts";
import { type Changes, Workspace } from "./group_workspace.ts";
import { type Read, UniqueConflict, type View, type WorthOf } from "./workspace.ts";

/** One indivisible change: what it reads and what it decides. No await and no IO inside. */
export interface Unit<T> {
  readonly reads: readonly Read[];
  decide(view: View): T;
  /** What its view offers; undefined: nobody reports in any currency. */
  readonly worthOf?: WorthOf;
}

interface GroupCommitOptions {
  readonly connection: Connection;
  /** Parents before children. */
  readonly tables: readonly Table<AnyRow>[];
  readonly instance: string;
  readonly clock: Clock;
  readonly monotonicMs?: () => number;
  readonly callerMs?: number;
}

const UNITS_PER_GROUP_MAX = 256;
const ATTEMPTS_MAX = 40;
/** Whoever has waited as long is told, if the database is to blame. */
const CALLER_MS = 4_000;
/** How soon one who has waited as long is told once it is. */
const CALLER_AGAIN_MS = 250;
/** Longer only if a database server keeps each question until it counts as lost. */
const ATTEMPTS_MS = 30_000;
const PAUSE_MAX_MS = 250;
/** No group takes as long on a database that works. */
const STUCK_MS = 5_000;

interface Waiting {
  readonly unit: Unit<unknown>;
  /** The caller has been told that nobody knows: its unit isn't decided again. */
  isGone: boolean;
  stopWaiting(): void;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Nobody hears of it. */
const NOT_DECIDED: Decided = { value: undefined };

type Decided = { readonly value: unknown } | { readonly error: unknown };

/**
 * Commits many callers' units with one read and one write, in order of arrival. A unit that throws
 * affects no other, and nobody gets a result before its commit.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  readonly #queue: Waiting[] = [];
  #running: Promise<void> | undefined;
  readonly #monotonicMs: () => number;
  #groupSinceMs: number | undefined;
  #lastSize = 1;
  #sequence = 0;
  /** The database was busy or said nothing when it was last asked. */
  #isTroubled = false;
  readonly #patience: Waits;
  readonly #morePatience = new Waits(CALLER_AGAIN_MS);
  readonly #listeners = new Set<{ table: Table<AnyRow>; listener: () => void }>();

  constructor(options: GroupCommitOptions) {
    this.#options = options;
    this.#patience = new Waits(options.callerMs ?? CALLER_MS);
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
  }

  /** The last write failed, and not through its own fault. */
  isFailing = false;

  /** A group has waited for the database for too long, and nobody knows yet how that ends. */
  get isStuck(): boolean {
    const sinceMs = this.#groupSinceMs;
    return sinceMs !== undefined && this.#monotonicMs() - sinceMs >= STUCK_MS;
  }

  /** Counts the groups of this process that changed configuration. */
  configWrites = 0;

  /** Seals protected rows from now on. */
  seals: Seals | undefined;

  onInsert(table: Table<AnyRow>, listener: () => void): () => void {
    const entry = { table, listener };
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  #notifyInserts(changes: Changes): void {
    for (const { table, listener } of this.#listeners) {
      if (changes.get(table)?.insert.length) listener();
    }
  }

  get depth(): number {
    return this.#queue.length;
  }

  run<T>(unit: Unit<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const waiting: Waiting = {
        unit,
        isGone: false,
        stopWaiting: () => {},
        resolve: resolve as (value: unknown) => void,
        reject,
      };
      waiting.stopWaiting = this.#patience.start(() => this.#giveUp(waiting));
      this.#queue.push(waiting);
      this.#running ??= this.#drain();
    });
  }

  /**
   * One that is still in the queue never happens. One that is being committed may have happened:
   * the group finds out, but its caller doesn't wait for that.
   */
  #giveUp(waiting: Waiting): void {
    if (!this.#isTroubled) {
      waiting.stopWaiting = this.#morePatience.start(() => this.#giveUp(waiting));
      return;
    }
    const at = this.#queue.indexOf(waiting);
    if (at >= 0) this.#queue.splice(at, 1);
    waiting.isGone = true;
    waiting.reject(new Unavailable("The database does not answer"));
  }

  /** Resolves when everything queued so far is committed or refused. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #drain(): Promise<void> {
    const { clock } = this.#options;
    try {
      do {
        await gather(this.#queue, { expected: this.#lastSize, clock });
        const group = this.#queue.splice(0, UNITS_PER_GROUP_MAX);
        this.#lastSize = group.length;
        if (group.length > 0) await this.#settle(group);
      } while (this.#queue.length > 0);
    } finally {
      this.#groupSinceMs = undefined;
      this.#running = undefined;
    }
  }

  async #settle(group: readonly Waiting[]): Promise<void> {
    try {
      const decided = await this.#commit(group);
      group.forEach((waiting, i) => answer(waiting, decided[i]!));
    } catch (error) {
      if (error instanceof Unavailable) this.isFailing = true;
      // Only a group that certainly failed may be tried again in parts.
      const isRefused = error instanceof UniqueConflict || error instanceof InvariantError;
      if (group.length === 1 || !isRefused) {
        for (const waiting of group) {
          waiting.stopWaiting();
          waiting.reject(error);
        }
        return;
      }
      for (const waiting of group) await this.#settle([waiting]);
    }
  }

  async #commit(group: readonly Waiting[]): Promise<Decided[]> {
    const units = group.map(({ unit }) => unit);
    /** By sequence: an attempt whose answer was lost may still be committed. */
    const tries = new Map<number, Decided[]>();
    this.#groupSinceMs = this.#monotonicMs();
    const untilMs = performance.now() + ATTEMPTS_MS;
    for (let attempt = 1;; attempt++) {
      try {
        const { workspace, clock } = await this.#read(units);
        this.#isTroubled = false;
        const committed = tries.get(clock.sequence);
        if (committed) {
          this.configWrites++;
          for (const { listener } of this.#listeners) listener();
          return committed;
        }
        const decided = group.map(({ unit, isGone }) =>
          isGone ? NOT_DECIDED : decide(workspace, unit)
        );
        const changes = workspace.changes();
        // After a lost attempt the epoch must move in any case, or that attempt could still be
        // committed later.
        if (changes.size === 0 && tries.size === 0) return decided;
        const { instance, tables } = this.#options;
        const mark = { ...clock, sequence: ++this.#sequence, instance, nowMs: workspace.nowMs };
        const statements = groupStatements(tables, { workspace, changes, mark });
        tries.set(mark.sequence, decided);
        await this.#options.connection.batch(statements, "write");
        this.isFailing = false;
        if (changesConfig(changes)) this.configWrites++;
        this.#notifyInserts(changes);
        return decided;
      } catch (error) {
        await this.#pauseOrThrow(error, { attempt, untilMs });
      }
    }
  }

  async #pauseOrThrow(
    error: unknown,
    { attempt, untilMs }: { attempt: number; untilMs: number },
  ): Promise<void> {
    if (!(error instanceof WriteFault)) throw error;
    this.#isTroubled = error.kind === "busy" || error.kind === "lost";
    if (error.kind === "conflict") throw takenKey(error);
    if (error.kind === "refused") {
      throw new Unavailable(`The database takes no writes: ${error.message}`, { cause: error });
    }
    if (error.kind === "broken_rule") throw new InvariantError(error.message, { cause: error });
    if (attempt >= ATTEMPTS_MAX || performance.now() >= untilMs) {
      throw new Unavailable(`The database did not take a write (tries: ${attempt})`, {
        cause: error,
      });
    }
    await sleep(Math.random() * Math.min(PAUSE_MAX_MS, 2 ** attempt));
  }

  async #read(units: readonly Unit<unknown>[]) {
    const reads = distinctReads(units);
    const selects = reads.map(({ table, key, reads }) =>
      selectByFields(table, {
        fields: table.keys[key]!,
        values: Array.from(reads.values(), ({ values }) => values),
      })
    );
    const { seals } = this;
    const leastLogId = seals?.newestLogId ?? 0;
    const [clockResult, ...results] = await this.#options.connection.batch(
      [readClock(this.#options.instance), ...selects],
      "read",
    );
    const clock = clockResult!.rows[0];
    invariant(clock, "The write clock has its row");
    const ids: Record<string, number> = JSON.parse(String(clock.ids ?? "{}"));
    const sealKeyId = clock.seal_key_id === null ? null : String(clock.seal_key_id);
    seals?.noteLog(Number(clock.audit_id ?? 0), leastLogId);
    const nowMs = this.#options.clock.nowMs();
    const lastReleaseId = Number(clock.release_id ?? 0);
    const options = { sealKeyId, seals, nowMs, lastReleaseId };
    const workspace = new Workspace(new Map(Object.entries(ids)), options);
    reads.forEach(({ table, reads }, i) => {
      workspace.load(reads.values(), rowsFromJson(table, results[i]!.rows[0]!.rows));
    });
    return {
      workspace,
      clock: {
        epoch: Number(clock.epoch),
        sequence: Number(clock.sequence ?? 0),
        end: chainEnd(clock, seals),
      },
    };
  }
}

function decide(workspace: Workspace, unit: Unit<unknown>): Decided {
  try {
    return { value: workspace.attempt((view) => unit.decide(view), unit.worthOf) };
  } catch (error) {
    return { error };
  }
}

/** SQLite names the columns: "UNIQUE constraint failed: alerts.kind, alerts.subject". */
function takenKey({ message }: WriteFault): UniqueConflict {
  const [, table = "a table", columns = "unique"] = /failed: (\w+)\.(.+)$/.exec(message) ?? [];
  return new UniqueConflict(table, columns);
}

function answer(waiting: Waiting, decided: Decided): void {
  waiting.stopWaiting();
  if ("error" in decided) waiting.reject(decided.error);
  else waiting.resolve(decided.value);
}
