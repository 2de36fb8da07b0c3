import type { PartOrder } from "../part.ts";
import type { Row } from "../row.ts";
import type { Place } from "./place.ts";

/** Rows that are measured together, in both installations or only in the large one. */
export interface GrowthRows {
  readonly names: readonly string[];
  measure(order: GrowthOrder): AsyncIterable<Row>;
}

export interface GrowthOrder extends Pick<PartOrder, "names" | "rounds"> {
  readonly small: Place;
  readonly large: Place;
}
