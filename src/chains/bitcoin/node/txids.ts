import { mapInPortions } from "../../../base/waiting/in_portions.ts";
import { hash, list } from "./decode.ts";

const BEGIN = '"txids":[';
/** A hash with quotes and comma. */
const CHARS_EACH = 67;
const PIECE_CHARS = 1_000 * CHARS_EACH;

/**
 * Of an answer that lists the txids of a mempool: the list as it is written, and the answer without
 * it. Parsed at once, some hundred thousand would keep everybody else waiting.
 */
export function withoutTxids(text: string): { readonly rest: string; readonly listed: string } {
  const begin = text.indexOf(BEGIN);
  const from = begin + BEGIN.length;
  const to = begin < 0 ? -1 : text.indexOf("]", from);
  if (to < 0) return { rest: text, listed: "" };
  return { rest: text.slice(0, from) + text.slice(to), listed: text.slice(from, to) };
}

export async function readTxids(listed: string): Promise<string[]> {
  const pieces = Array.from({ length: Math.ceil(listed.length / PIECE_CHARS) }, (_, i) => {
    const from = i * PIECE_CHARS;
    return listed.slice(from, Math.min(from + PIECE_CHARS, listed.length + 1) - 1);
  });
  const read = await mapInPortions(pieces, (piece) => {
    const txids = list(parsed(`[${piece}]`), "a mempool");
    return txids.map((one) => hash(one, "a txid"));
  });
  return read.flat();
}

/** Undefined is no list. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
