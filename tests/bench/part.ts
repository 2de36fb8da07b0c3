import type { Row } from "./row.ts";

/** Rows that share their preparation. */
export interface Part {
  /** `--only` finds rows by this, besides their names. */
  readonly key: string;
  readonly heading: string;
  readonly names: readonly string[];
  /** Its rows are figures with a goal, which takes a table of its own. */
  readonly hasGoals?: boolean;
  /** Yields the rows with these names, each as soon as it is measured. */
  measure(order: PartOrder): AsyncIterable<Row | Missing>;
}

export interface PartOrder {
  readonly names: ReadonlySet<string>;
  readonly rounds: number;
  readonly say: (text: string) => void;
}

/** A row that can't be measured, on this machine or yet. */
export interface Missing {
  readonly name: string;
  readonly reason: string;
}
