import type { Component } from "../../../base/html.ts";

/** A list in the order of time can be turned round. */
export interface Turn {
  readonly isOldestFirst: boolean;
  /** Where it is the other way round. */
  readonly href: string;
}

/** On the buttons below a list; undefined: it has one order only. */
export function wordsOf(turn: Turn | undefined) {
  if (!turn) return { first: "First page", next: "More" };
  return turn.isOldestFirst
    ? { first: "Oldest", next: "Newer" }
    : { first: "Newest", next: "Older" };
}

/** Where a click leads. */
export function turnedText({ isOldestFirst }: Turn): string {
  return isOldestFirst ? "Newest first" : "Oldest first";
}

/** Of the column that the list is in the order of. */
export const TurningTitle: Component<{ title: string; turn: Turn; name: string | undefined }> = (
  { title, turn, name },
) => (
  <th class={name} aria-sort={turn.isOldestFirst ? "ascending" : "descending"}>
    <a class="turn" href={turn.href} title={turnedText(turn)}>
      {title}
      <span aria-hidden="true">{turn.isOldestFirst ? " ↑" : " ↓"}</span>
    </a>
  </th>
);
