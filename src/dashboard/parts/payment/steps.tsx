import type { Component } from "../../../base/html.ts";

export interface Step {
  readonly text: string;
  readonly tone: "good" | "under-way" | "bad" | "plain";
  readonly isCurrent: boolean;
}

const CURRENT_STEP = "current-step";

/** Where a payment or payout is on its way. */
export const Steps: Component<{ steps: readonly Step[] }> = ({ steps }) => (
  <ol class="steps" aria-label="Progress">
    {steps.map(({ text, tone, isCurrent }) => (
      <li aria-current={isCurrent ? "step" : undefined}>
        <span class={`mark ${tone}`} id={isCurrent ? CURRENT_STEP : undefined}>{text}</span>
      </li>
    ))}
  </ol>
);

/** For an open page. */
export function stepFigures(steps: readonly Step[]): Record<string, string> {
  const current = steps.find(({ isCurrent }) => isCurrent);
  return current === undefined ? {} : { [CURRENT_STEP]: current.text };
}
