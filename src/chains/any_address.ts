import type { Family } from "./family.ts";
import { familyOf } from "./registry.ts";

export interface AnyAddress {
  readonly family: Family["name"];
  readonly canonical: string;
  /** Letters may be written in either case. */
  readonly hasOneSpelling: boolean;
}

const FAMILIES = (["evm", "tron"] as const).map(familyOf);

/** Whatever its spelling, checksum or not: for searching only, never for paying. */
export function anyAddress(text: string): AnyAddress | undefined {
  const lower = text.toLowerCase();
  for (const { name: family, isAddress, canonicalAddress } of FAMILIES) {
    if (isAddress(lower)) {
      return { family, canonical: canonicalAddress(lower), hasOneSpelling: false };
    }
    if (isAddress(text)) return { family, canonical: canonicalAddress(text), hasOneSpelling: true };
  }
  return undefined;
}
