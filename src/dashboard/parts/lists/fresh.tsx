import type { Component } from "../../../base/html.ts";
import type { Figures } from "../../routes.ts";
import type { Visit } from "../../visit.ts";
import { isFirstPage, withQuery } from "../table.tsx";

/** More than that are "20+". */
const COUNTED_MAX = 20;
const ID = "fresh";

interface FreshProps {
  readonly visit: Visit;
  /** What is listed: "payments". */
  readonly words: string;
}

/** Says when rows were added since, and loads them on a click; without scripts a link like others. */
export const Fresh: Component<FreshProps> = ({ visit, words }) =>
  isFirstPage(visit) && !visit.isOldestFirst && (
    <p class="fresh" role="status">
      <a id={ID} href={withQuery(visit, {})}>{idleText(words)}</a>
    </p>
  );

function idleText(words: string): string {
  return `Look for new ${words}`;
}

/** What is asked for while the list is open: the rows above the newest one shown. */
export function freshQuery(visit: Visit) {
  const since = visit.query.get("since") ?? "";
  return {
    ...{ cursor: null, isOldestFirst: false, limit: COUNTED_MAX + 1 },
    after: /^\d{1,15}$/.test(since) ? Number(since) : 0,
  };
}

export function freshFigures(count: number, words: string): Figures {
  if (count === 0) return { [ID]: idleText(words) };
  const shown = count > COUNTED_MAX ? `${COUNTED_MAX}+` : String(count);
  return { [ID]: `${shown} new` };
}
