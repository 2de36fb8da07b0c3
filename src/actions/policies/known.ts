import type { Edge } from "../../domain/policy/meter.ts";
import type { Scope } from "../../domain/policy/rules.ts";
import type { PolicyRow } from "../../store/tables/control/policies.ts";

/** All rules as of one version. */
export interface Book {
  readonly version: number;
  readonly policies: readonly PolicyRow[];
  readonly meters: readonly Meter[];
}

/** Adds up the payments of a scope, separately for each value that it splits by. */
export interface Meter extends Scope {
  readonly id: number;
  /** It knows every payment since then. */
  readonly fromMs: number;
}

/** What a window begins with, for as long as nothing leaves it. */
export interface KnownEdge extends Edge {
  readonly revision: number;
  /** For edges before this. */
  readonly untilMs: number;
}
