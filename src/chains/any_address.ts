import { allRules } from "./registry.ts";
import type { ChainRules } from "./rules.ts";
import { UNSUPPORTED } from "./unsupported.ts";

interface AnyAddress {
  readonly canonical: string;
  /** False: letters may be written in either case. */
  readonly hasOneSpelling: boolean;
}

const RULES: readonly ChainRules[] = allRules();

/** Whatever its spelling, checksum or not: for searching only, never for paying. */
export function anyAddress(text: string): AnyAddress | undefined {
  const lower = text.toLowerCase();
  for (const { isAddress, canonicalAddress } of RULES) {
    if (isAddress(lower)) return { canonical: canonicalAddress(lower), hasOneSpelling: false };
    if (isAddress(text)) return { canonical: canonicalAddress(text), hasOneSpelling: true };
  }
  return undefined;
}

/** Whose complete address it looks like, typos included. */
export function rulesLike(text: string): ChainRules[] {
  return RULES.filter((rules) => rules.looksWhole.test(text));
}

/** The same of a text in lower case, whatever its case was. */
export function looksWhole(folded: string): boolean {
  return RULES.some((rules) => new RegExp(rules.looksWhole, "i").test(folded));
}

/** Whose it looks like, if it is of a chain that isn't supported. */
export function unsupportedLike(text: string): string | undefined {
  return UNSUPPORTED.find((chain) => chain.looksWhole.test(text))?.name;
}

/** What people compare of an address: so many characters after its usual start, and at its end. */
const COMPARED = 4;

/** Another address that people could mistake for it, in any case: address poisoning. */
export function looksLike(one: string, other: string): boolean {
  if (one.toLowerCase() === other.toLowerCase()) return false;
  return looksOf(one) === looksOf(other);
}

function looksOf(address: string): string {
  const bare = address.slice(startLength(address)).toLowerCase();
  return bare.slice(0, COMPARED) + bare.slice(-COMPARED);
}

/** What all addresses that look like it begin with, in lower case. */
export function beginOf(address: string): string {
  return address.toLowerCase().slice(0, startLength(address) + COMPARED);
}

/** Whichever network it is of. */
function startLength(address: string): number {
  return Math.max(...RULES.map(({ addressStart }) => addressStart.exec(address)?.[0].length ?? 0));
}
