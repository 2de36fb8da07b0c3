import { foldAscii } from "../../base/fold_ascii.ts";

/** What somebody looks for: a whole text, its beginning or its end, in any case. */
export interface SearchTerm {
  /** As it was typed. */
  readonly text: string;
  readonly folded: string;
  /** The number of a record. */
  readonly id: number | null;
  /** How a hash or address may begin; empty if it can be neither. */
  readonly begins: readonly string[];
  /** How a hash or address must end. */
  readonly end: string | null;
  /** A complete hash or address rather than a part of one. */
  readonly isWhole: boolean;
}

export const SEARCH_TEXT_MAX = 256;
/** Shorter parts of hashes and addresses would match too many. */
export const BEGIN_MIN = 4;
export const END_MIN = 6;

const HEX = /^[0-9a-f]+$/;
/** What explorers, wallets and our own pages make of a long hash. */
const SHORTENED = /^([0-9a-z]+)(?:…|\.{2,})([0-9a-z]{2,})$/;
const WHOLE = /^(0x)?([0-9a-f]{64})$|^0x[0-9a-f]{40}$|^t[1-9a-z]{33}$/;

/** Undefined: it can't be a text that anything here has. */
export function searchTerm(typed: string): SearchTerm | undefined {
  const text = typed.trim();
  if (text === "" || text.length > SEARCH_TEXT_MAX || !text.isWellFormed()) return undefined;
  if (/\p{Cc}/u.test(text)) return undefined;
  const folded = foldAscii(text);
  const [, begin, end] = SHORTENED.exec(folded) ?? [];
  return {
    text,
    folded,
    id: /^#?[1-9]\d{0,14}$/.test(text) ? Number(text.replace("#", "")) : null,
    begins: beginsOf(begin ?? folded),
    end: end ?? endOf(folded),
    isWhole: WHOLE.test(folded),
  };
}

/** A number and what people call such a record: "Invoice 3", "payout #5", "order 1042". */
export function spokenTerm(typed: string): { word: string; term: SearchTerm } | undefined {
  const [, word, text] =
    /^(\p{L}[\p{L} ]*?) *(?:no\.? *|nr\.? *)?[ #](#?\S+)$/u.exec(typed.trim()) ?? [];
  const term = text === undefined ? undefined : searchTerm(text);
  return word && term ? { word: foldAscii(word), term } : undefined;
}

/** Hashes are written with and without 0x. */
function beginsOf(folded: string): string[] {
  const bare = folded.replace(/^0x/, "");
  if (bare.length < BEGIN_MIN || !/^[0-9a-z:-]+$/.test(bare)) return [];
  return HEX.test(bare) ? [`0x${bare}`, bare] : [folded];
}

function endOf(folded: string): string | null {
  const isEnd = /^[0-9a-z]+$/.test(folded) && !folded.startsWith("0x");
  return isEnd && folded.length >= END_MIN ? folded : null;
}
