import { at, zip } from "../../base/lists.ts";
import { cut, padded, paint, widthOf } from "./screen.ts";
import type { Screen } from "../operation.ts";

const GAP = "  ";
/** Of a text that is shortened. */
const TEXT_MIN = 16;
/** Shortened, a list of amounts would look complete. */
const AMOUNTS = ["holds", "needs"];

interface Cells {
  readonly titles: readonly string[];
  readonly lines: readonly (readonly string[])[];
}

/**
 * Each row on a line of its own, or undefined if the screen is too narrow. To make room, texts of
 * several words are shortened, but never a single word: ids and amounts must be whole.
 */
export function tableIn(screen: Screen, { titles, lines }: Cells): string | undefined {
  const columns = titles.map((title, i) => {
    const cells = lines.map((line) => at(line, i));
    const isKept = AMOUNTS.includes(title.toLowerCase());
    return {
      width: Math.max(...[title, ...cells].map(widthOf)),
      least: Math.max(widthOf(title), ...cells.map((cell) => leastOf(cell, isKept))),
    };
  });
  const room = (screen.columns ?? Infinity) - GAP.length * (columns.length - 1);
  const widths = fitting(columns, room);
  if (!widths) return undefined;
  const lineOf = (line: readonly string[]) =>
    zip(line, widths).map(([cell, width]) => padded(cut(cell, width), width)).join(GAP).trimEnd();
  const head = paint(lineOf(titles.map((title) => title.toUpperCase())), "bold", screen);
  return [head, ...lines.map(lineOf)].map((line) => `${line}\n`).join("");
}

function leastOf(cell: string, isKept: boolean): number {
  const isText = !isKept && cell.includes(" ");
  return isText ? Math.min(widthOf(cell), TEXT_MIN) : widthOf(cell);
}

/** The widest text is shortened first, so that all that are shortened end up alike. */
function fitting(
  columns: readonly { readonly width: number; readonly least: number }[],
  room: number,
): number[] | undefined {
  const widths = columns.map(({ width }) => width);
  let over = widths.reduce((sum, width) => sum + width, 0) - room;
  while (over > 0) {
    const spare = widths.map((width, i) => width > at(columns, i).least ? width : 0);
    const widest = Math.max(...spare);
    if (widest === 0) return undefined;
    widths[spare.lastIndexOf(widest)] = widest - 1;
    over--;
  }
  return widths;
}
