/** Runs `work` on each item, `concurrencyMax` at a time; after an error no new one is begun. */
export async function mapBounded<T, R>(
  items: readonly T[],
  { concurrencyMax, work }: { concurrencyMax: number; work: (item: T) => Promise<R> },
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  let failed = false;

  async function worker(): Promise<void> {
    while (next < items.length && !failed) {
      const index = next++;
      try {
        results[index] = await work(items[index]!);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  }

  const count = Math.min(concurrencyMax, items.length);
  const ended = await Promise.allSettled(Array.from({ length: count }, worker));
  const broken = ended.find((end) => end.status === "rejected");
  if (broken) throw broken.reason;
  return results;
}

export function chunksOf<T>(items: readonly T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let at = 0; at < items.length; at += size) chunks.push(items.slice(at, at + size));
  return chunks;
}
