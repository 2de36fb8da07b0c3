import { foldAscii } from "../../base/fold_ascii.ts";
import type { SearchTerm } from "../reads/term.ts";

export interface Hit {
  /** Of its page. */
  readonly path: string;
  readonly title: string;
  /** The text that matched, and what it is. */
  readonly matched: { readonly name: string; readonly text: string };
  readonly detail: string;
  readonly accountId: number | null;
  readonly isExact: boolean;
}

interface Hitting {
  readonly term: SearchTerm;
}

export function hit({ term }: Hitting, given: Omit<Hit, "isExact">): Hit {
  const folded = foldAscii(given.matched.text);
  const isExact = folded === term.folded || term.isWhole && term.begins.includes(folded) ||
    String(term.id) === folded;
  return { ...given, isExact };
}

/** The first of these that matches; otherwise the record was found by its number. */
export function matchedOf(
  { term }: Hitting,
  { id, texts }: {
    id: number;
    texts: readonly (readonly [name: string, text: string | null])[];
  },
): Hit["matched"] {
  for (const [name, text] of texts) {
    if (text !== null && isMatch(foldAscii(text), term)) return { name, text };
  }
  return { name: "Number", text: String(id) };
}

export function isMatch(folded: string, { folded: wanted, begins, end }: SearchTerm): boolean {
  if (folded.startsWith(wanted) || (end === wanted && folded.endsWith(wanted))) return true;
  const isBegun = begins.some((begin) => folded.startsWith(begin));
  return isBegun && (end === null || end === wanted || folded.endsWith(end));
}
