/** As `Promise.all`, but when it fails, none of the work is still going on. */
export async function allDone(works: readonly Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(works)) {
    if (result.status === "rejected") throw result.reason;
  }
}
