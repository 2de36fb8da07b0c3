/** Makes the value at the first call, and returns the same at all others. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => made ??= make();
}
