import { FAMILY_NAMES, type FamilyName } from "../domain/families.ts";
import { familyOf } from "./registry.ts";

interface AnyAddress {
  readonly family: FamilyName;
  readonly canonical: string;
  /** False: letters may be written in either case. */
  readonly hasOneSpelling: boolean;
}

const FAMILIES = FAMILY_NAMES.map(familyOf);

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
