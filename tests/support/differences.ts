/** What stands more often on one side than on the other, in words. */
export function differences(
  what: string,
  { chain, books }: { chain: readonly string[]; books: readonly string[] },
): string[] {
  const counts = new Map<string, number>();
  for (const key of chain) counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const key of books) counts.set(key, (counts.get(key) ?? 0) - 1);
  return [...counts].filter(([, count]) => count !== 0).map(([key, count]) =>
    count > 0
      ? `${what} in the chain ${count} times too often for the books: ${key}`
      : `${what} in the books ${-count} times too often for the chain: ${key}`
  );
}
