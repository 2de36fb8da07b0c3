import { type Child, htmlOf } from "../../base/html.ts";
import { ROOMS } from "../assets/style/tables.ts";

const FRACTION = /<i>(\.\d+)<\/i>/;

/** The class that keeps points below each other, with room for the longest decimals of the column. */
export function roomFor(shown: readonly Child[]): string | undefined {
  const lengths = shown.map((cell) => {
    const text = htmlOf(cell);
    return typeof text === "string" ? FRACTION.exec(text)?.[1]?.length ?? 0 : 0;
  });
  const longest = Math.max(...lengths);
  return longest === 0 ? undefined : `f${ROOMS.find((room) => room >= longest) ?? ROOMS.at(-1)}`;
}
