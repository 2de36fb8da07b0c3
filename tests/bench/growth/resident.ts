/** The part of a process that is in memory. */
export async function residentMb(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/VmRSS:\s*(\d+) kB/.exec(status)![1]) / 1024;
}
