import type { Deps } from "../../actions/deps.ts";
import { anyAddress } from "../../chains/any_address.ts";

/** As the books spell it, if any currency has this symbol. */
export async function spelledSymbol({ catalog }: Deps, text: string): Promise<string> {
  const symbols = (await catalog.current()).currencies.map(({ symbol }) => symbol);
  if (symbols.includes(text)) return text;
  return symbols.find((one) => one.toLowerCase() === text.toLowerCase()) ?? text;
}

export function spelledAddress(text: string): string {
  return anyAddress(text)?.canonical ?? text;
}

export function spelledHash(text: string): string {
  return /^(0x)?[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : text;
}
