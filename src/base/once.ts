/** What was made at the first call is the answer to all others. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => made ??= make();
}
