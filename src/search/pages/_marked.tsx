import type { Component } from "../../base/html.ts";
import { foldAscii } from "../../base/fold_ascii.ts";
import type { SearchTerm } from "../reads/term.ts";

/** A text with the parts that were searched for marked. */
export const Marked: Component<{ text: string; term: SearchTerm }> = ({ text, term }) => (
  <bdi class="whole">
    {markedParts(text, term).map(({ part, isMarked }) => isMarked ? <mark>{part}</mark> : part)}
  </bdi>
);

interface Part {
  readonly part: string;
  readonly isMarked: boolean;
}

function markedParts(text: string, term: SearchTerm): Part[] {
  const folded = foldAscii(text);
  const begins = term.begins.find((begin) => folded.startsWith(begin));
  const ends = term.end !== null && folded.endsWith(term.end) ? term.end : undefined;
  const at = begins === undefined && ends === undefined ? folded.indexOf(term.folded) : -1;
  const spans: readonly (readonly [from: number, length: number])[] = at >= 0
    ? [[at, term.folded.length]]
    : [[0, begins?.length ?? 0], [text.length - (ends?.length ?? 0), ends?.length ?? 0]];
  return partsOf(text, spans);
}

function partsOf(text: string, spans: readonly (readonly [from: number, length: number])[]) {
  const parts: Part[] = [];
  let done = 0;
  for (const [from, length] of spans.filter(([from, length]) => length > 0 && from >= done)) {
    parts.push({ part: text.slice(done, from), isMarked: false });
    parts.push({ part: text.slice(from, from + length), isMarked: true });
    done = from + length;
  }
  parts.push({ part: text.slice(done), isMarked: false });
  return parts.filter(({ part }) => part !== "");
}
