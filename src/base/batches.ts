interface Waiting<Job, Result> {
  readonly job: Job;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** What arrives for a key while its batch is under way is the next batch: one at a time, in order. */
export class KeyedBatches<Job, Result> {
  readonly #waiting = new Map<string, Waiting<Job, Result>[]>();

  constructor(
    readonly work: (jobs: readonly Job[]) => Promise<PromiseSettledResult<Result>[]>,
    readonly jobsMax: number,
  ) {}

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
    while (queue.length > 0) {
      const batch = queue.splice(0, this.jobsMax);
      try {
        const results = await this.work(batch.map(({ job }) => job));
        batch.forEach(({ resolve, reject }, i) => {
          const result = results[i]!;
          if (result.status === "fulfilled") resolve(result.value);
          else reject(result.reason);
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#waiting.delete(key);
  }
}
