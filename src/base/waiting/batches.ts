import { first as firstOf, zip } from "../lists.ts";
import { nextTurn } from "./next_turn.ts";

/** One result per job; an exception fails all of them. */
type Work<Job, Result> = (
  jobs: readonly Job[],
) => PromiseSettledResult<Result>[] | Promise<PromiseSettledResult<Result>[]>;

interface Order<Job, Result> {
  readonly job: Job;
  /** The same for all jobs of a key. */
  readonly work: Work<Job, Result>;
  /** Jobs of different owners are never in one batch, so they never fail together. */
  readonly owner?: unknown;
}

interface Queued extends Order<unknown, unknown> {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** One batch per key at a time; what arrives meanwhile is the next one. */
export class KeyedBatches {
  readonly #waiting = new Map<string, Queued[]>();

  constructor(readonly jobsMax: number) {}

  run<Job, Result>(key: string, order: Order<Job, Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const queued = { ...order, resolve, reject } as Queued;
    const queue = this.#waiting.get(key);
    if (queue) {
      queue.push(queued);
    } else {
      const first = [queued];
      this.#waiting.set(key, first);
      void this.#drain(key, first);
    }
    return promise;
  }

  async #drain(key: string, queue: Queued[]): Promise<void> {
    // Waits one turn of the loop, so that jobs arriving together aren't split into the first and
    // the rest.
    await nextTurn();
    while (queue.length > 0) {
      const batch = queue.splice(0, this.jobsMax);
      for (const own of Map.groupBy(batch, ({ owner }) => owner).values()) {
        await finish(own);
      }
    }
    this.#waiting.delete(key);
  }
}

/** Runs the work of each key in order, one at a time. */
export class KeyedTurns {
  readonly #batches = new KeyedBatches(1);

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#batches.run(key, { job: work, work: runAll<T> });
  }
}

function runAll<T>(works: readonly (() => Promise<T>)[]): Promise<PromiseSettledResult<T>[]> {
  return Promise.allSettled(works.map((work) => work()));
}

/**
 * Jobs for a key that arrive in one turn of the event loop are a batch. Batches don't wait for each
 * other.
 */
export class TurnBatches {
  readonly #waiting = new Map<string, Queued[]>();

  constructor(readonly jobsMax: number) {}

  run<Job, Result>(key: string, order: Order<Job, Result>): Promise<Result> {
    const queue = this.#waiting.get(key) ?? [];
    if (queue.length === 0) {
      this.#waiting.set(key, queue);
      setImmediate(() => this.#begin(key, queue));
    }
    return new Promise<Result>((resolve, reject) =>
      queue.push({ ...order, resolve, reject } as Queued)
    );
  }

  #begin(key: string, queue: Queued[]): void {
    this.#waiting.delete(key);
    while (queue.length > 0) void finish(queue.splice(0, this.jobsMax));
  }
}

async function finish(batch: readonly Queued[]): Promise<void> {
  try {
    const results = await firstOf(batch).work(batch.map(({ job }) => job));
    zip(batch, results).forEach(([{ resolve, reject }, result]) => {
      if (result.status === "fulfilled") resolve(result.value);
      else reject(result.reason);
    });
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}
