import type { Component } from "../../../base/html.ts";

export interface Step {
  readonly text: string;
  readonly tone: "good" | "under-way" | "bad" | "plain";
  readonly isCurrent: boolean;
}

const CURRENT_STEP = "current-step";

/** What comes next, at the end of the timeline of what has happened. */
export const Ahead: Component<{ steps: readonly Step[] }> = ({ steps }) =>
  steps.filter(isAhead).map(({ text, isCurrent }) => (
    <li class={isCurrent ? "ahead now" : "ahead"} aria-current={isCurrent ? "step" : undefined}>
      <span id={isCurrent ? CURRENT_STEP : undefined}>{text}</span>
    </li>
  ));

function isAhead({ tone, isCurrent }: Step): boolean {
  return tone === "under-way" || tone === "plain" && !isCurrent;
}

/** For an open page. */
export function stepFigures(steps: readonly Step[]): Record<string, string> {
  const current = steps.find(({ isCurrent }) => isCurrent);
  return current === undefined ? {} : { [CURRENT_STEP]: current.text };
}
