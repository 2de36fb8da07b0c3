import { foldAscii } from "../../base/fold_ascii.ts";
import { looksWhole } from "../../chains/any_address.ts";
import { BEGIN_MIN, END_MIN, SEARCH_TEXT_MAX, type SearchTerm } from "../reads/term.ts";

const HEX = /^[0-9a-f]+$/;
/** What explorers, wallets and our own pages make of a long hash. */
const SHORTENED = /^([0-9a-z]+)(?:…|\.{2,})([0-9a-z]{2,})$/;
/** As wallets and nodes write one. */
const OUTPOINT = /^([0-9a-f]{64}):(\d{1,9})$/;
const HASH = /^(0x)?[0-9a-f]{64}$/;

/** Undefined: it can't be a text that anything here has. */
export function searchTerm(typed: string): SearchTerm | undefined {
  const text = typed.trim();
  if (text === "" || text.length > SEARCH_TEXT_MAX || !text.isWellFormed()) return undefined;
  if (/\p{Cc}/u.test(text)) return undefined;
  const whole = foldAscii(text);
  const [, hash, output] = OUTPOINT.exec(whole) ?? [];
  const folded = hash ?? whole;
  const [, begin, end] = SHORTENED.exec(folded) ?? [];
  return {
    text,
    folded,
    id: /^#?[1-9]\d{0,14}$/.test(text) ? Number(text.replace("#", "")) : null,
    begins: beginsOf(begin ?? folded),
    end: end ?? endOf(folded),
    isWhole: HASH.test(folded) || looksWhole(folded),
    output: output === undefined ? null : Number(output),
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
