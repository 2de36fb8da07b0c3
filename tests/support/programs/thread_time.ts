import process from "node:process";

interface Usage {
  readonly user: number;
  readonly system: number;
}

/** Deno has it, its types don't know it yet. */
const { threadCpuUsage } = process as unknown as { threadCpuUsage(since?: Usage): Usage };

/** What this thread has computed so far. */
export function threadTimeMs(): number {
  const { user, system } = threadCpuUsage();
  return (user + system) / 1_000;
}

/**
 * An answer, and the CPU time that it took of this thread: tests beside it in this process don't
 * count, nor does what native threads do for it.
 */
export async function timed<T>(call: () => Promise<T>): Promise<{ answer: T; ms: number }> {
  const before = threadCpuUsage();
  const answer = await call();
  const { user, system } = threadCpuUsage(before);
  return { answer, ms: (user + system) / 1_000 };
}
