import process from "node:process";

interface Usage {
  readonly user: number;
  readonly system: number;
}

/** Deno has it, its types don't know it yet. */
const { threadCpuUsage } = process as unknown as { threadCpuUsage(since?: Usage): Usage };

/**
 * The CPU time that a call takes of this thread: tests beside it in this process don't count, nor
 * does what native threads do for it.
 */
export async function workMsOf(call: () => Promise<unknown>): Promise<number> {
  const before = threadCpuUsage();
  await call();
  const { user, system } = threadCpuUsage(before);
  return (user + system) / 1_000;
}
