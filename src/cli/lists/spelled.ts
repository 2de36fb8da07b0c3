import type { Deps } from "../../actions/deps.ts";
import { anyAddress } from "../../chains/any_address.ts";
import { everySpelling, type Spelled } from "../../domain/money/symbols.ts";

/** As the books spell it, if any currency has this symbol. */
export async function spelledSymbol({ catalog }: Deps, text: string): Promise<Spelled> {
  const { currencies } = await catalog.current();
  return everySpelling(currencies.map(({ symbol }) => symbol), text);
}

export function spelledAddress(text: string): string {
  return anyAddress(text)?.canonical ?? text;
}

export function spelledHash(text: string): string {
  return /^(0x)?[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : text;
}
