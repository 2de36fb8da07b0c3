import type { Child, Component } from "../../../base/html.ts";
import { Card, type Fact, Facts } from "../facts.tsx";

interface HeadProps {
  /** In large type. */
  readonly amount: Child;
  readonly below?: Child;
  readonly state: Child;
  /** What it means, and what can be done about it. */
  readonly children?: Child;
}

/** How much, in which state, and what that means. The page's title says what and for whom. */
export const RecordHead: Component<HeadProps> = ({ amount, below, state, children }) => (
  <section class="card record-head" aria-label="State">
    <p class="sum">
      <span class="big">{amount}</span> {below && <span class="quiet">{below}</span>}{" "}
      <span class="states">{state}</span>
    </p>
    {children}
  </section>
);

/** What happened, and what is known. */
export const RecordBody: Component<{ timeline: Child; facts: readonly Fact[] }> = (
  { timeline, facts },
) => (
  <div class="record">
    <Card title="Timeline">{timeline}</Card>
    <Card title="Facts">
      <Facts rows={facts} />
    </Card>
  </div>
);

/** The rest, each of which opens with a click. */
export const Folds: Component<{ children?: Child }> = ({ children }) => (
  <div class="folds">{children}</div>
);
