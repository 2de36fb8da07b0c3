import { at } from "../../base/lists.ts";

type Job = () => Promise<void>;

/** Works off a queue, `atOnce` jobs at a time. A job may add others. After an error no new job starts. */
export async function workOff(queue: Job[], { atOnce }: { atOnce: number }): Promise<void> {
  const running = new Set<Promise<void>>();
  const errors: unknown[] = [];
  const begin = (job: Job) => {
    const run = job().catch((error) => void errors.push(error)).finally(() => running.delete(run));
    running.add(run);
  };
  let next = 0;
  for (;;) {
    while (next < queue.length && running.size < atOnce && errors.length === 0) {
      begin(at(queue, next++));
    }
    if (running.size === 0) break;
    await Promise.race(running);
  }
  if (errors.length > 0) throw errors[0];
}

/** Runs `work` on each item, `concurrencyMax` at a time. After an error no new one starts. */
export async function mapBounded<T, R>(
  items: readonly T[],
  { concurrencyMax, work }: { concurrencyMax: number; work: (item: T) => Promise<R> },
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  const jobs = items.map((item, i) => async () => {
    results[i] = await work(item);
  });
  await workOff(jobs, { atOnce: concurrencyMax });
  return results;
}
