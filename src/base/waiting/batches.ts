interface Waiting<Job, Result> {
  readonly job: Job;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Each job is answered for itself; what is thrown fails all of them. */
type Work<Job, Result> = (
  jobs: readonly Job[],
) => Promise<PromiseSettledResult<Result>[]>;

/** What arrives for a key while its batch is under way is the next batch: one at a time, in order. */
export class KeyedBatches<Job, Result> {
  readonly #waiting = new Map<string, Waiting<Job, Result>[]>();

  constructor(readonly work: Work<Job, Result>, readonly jobsMax: number) {}

  run(key: string, job: Job): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const queue = this.#waiting.get(key);
    if (queue) {
      queue.push({ job, resolve, reject });
    } else {
      const first = [{ job, resolve, reject }];
      this.#waiting.set(key, first);
      void this.#drain(key, first);
    }
    return promise;
  }

  async #drain(key: string, queue: Waiting<Job, Result>[]): Promise<void> {
    // One turn of the loop: what comes together is not parted into the first one and the others.
    await new Promise((resolve) => setImmediate(resolve));
    while (queue.length > 0) await finish(queue.splice(0, this.jobsMax), this.work);
    this.#waiting.delete(key);
  }
}

/** Work of one key, each after the one before it. */
export class KeyedTurns {
  readonly #batches = new KeyedBatches<() => Promise<unknown>, unknown>(
    (works) => Promise.allSettled(works.map((work) => work())),
    1,
  );

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    return await this.#batches.run(key, work) as T;
  }
}

/** What arrives for a key in one turn of the event loop is a batch, and waits for none before it. */
export class TurnBatches<Job, Result> {
  readonly #waiting = new Map<string, Waiting<Job, Result>[]>();

  constructor(readonly work: Work<Job, Result>, readonly jobsMax: number) {}

  run(key: string, job: Job): Promise<Result> {
    const queue = this.#waiting.get(key) ?? [];
    if (queue.length === 0) {
      this.#waiting.set(key, queue);
      setImmediate(() => this.#begin(key, queue));
    }
    return new Promise((resolve, reject) => queue.push({ job, resolve, reject }));
  }

  #begin(key: string, queue: Waiting<Job, Result>[]): void {
    this.#waiting.delete(key);
    while (queue.length > 0) void finish(queue.splice(0, this.jobsMax), this.work);
  }
}

async function finish<Job, Result>(
  batch: readonly Waiting<Job, Result>[],
  work: Work<Job, Result>,
): Promise<void> {
  try {
    const results = await work(batch.map(({ job }) => job));
    batch.forEach(({ resolve, reject }, i) => {
      const result = results[i]!;
      if (result.status === "fulfilled") resolve(result.value);
      else reject(result.reason);
    });
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}
