import type { Screen } from "../operation.ts";

export const NO_SCREEN: Screen = { columns: undefined, hasColours: false };

const CODES = { bold: 1, red: 31, green: 32, yellow: 33 };
export type Colour = keyof typeof CODES;

export function paint(text: string, colour: Colour, { hasColours }: Pick<Screen, "hasColours">) {
  return hasColours ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text;
}

const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]/u;
const IS_COMBINED = /\p{M}|\u200d/u;

/** In columns of a terminal. */
export function widthOf(text: string): number {
  // deno-lint-ignore no-control-regex -- by far the most texts
  if (/^[\u0000-\u007f]*$/.test(text)) return text.length;
  return [...text].reduce((sum, char) => sum + charWidth(char), 0);
}

function charWidth(char: string): number {
  if (IS_COMBINED.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
}

export function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

/** At a character, with a mark that something is missing. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let left = width - 1;
  for (const char of text) {
    left -= charWidth(char);
    if (left < 0) break;
    kept += char;
  }
  return `${kept.trimEnd()}…`;
}

/** Between words; a word longer than the width stays whole. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line === "" || widthOf(longer) <= width) {
      line = longer;
      continue;
    }
    lines.push(line);
    line = word;
  }
  return [...lines, line];
}

/** Lines of a text, each with its end. */
export function paragraph(text: string, { columns = Infinity }: Partial<Screen>): string {
  return wrapped(text, columns).map((line) => `${line}\n`).join("");
}
