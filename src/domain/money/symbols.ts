/** Symbols are the same in any case: two spellings are never two currencies. */
export function isSameSymbol(one: string, other: string): boolean {
  return one === other || one.toUpperCase() === other.toUpperCase();
}

/** As one of these spells it: the same if it can be, or else in another case. */
export function spellingIn(symbols: readonly string[], wanted: string): string | undefined {
  return symbols.find((one) => one === wanted) ?? symbols.find((one) => isSameSymbol(one, wanted));
}

/** Each once, as it is spelled first. */
export function distinctSymbols(symbols: readonly string[]): string[] {
  const spelled = new Map<string, string>();
  for (const symbol of symbols) spelled.getOrInsert(symbol.toUpperCase(), symbol);
  return [...spelled.values()];
}
