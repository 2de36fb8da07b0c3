import { spansAfter, sumOf, totalAfter } from "../../domain/policy/meter.ts";
import type { Total } from "../../domain/policy/rules.ts";
import { edgeRows, type MeterAt } from "../../store/reads/control/policies.ts";
import {
  PolicyMarks,
  type PolicyMeterRow,
  PolicyMeters,
  PolicyRemovals,
} from "../../store/tables/control/policies.ts";
import { genuine } from "../books/tampered.ts";
import type { Deps } from "../deps.ts";
import { RulesChanged } from "./book.ts";
import type { KnownEdge } from "./known.ts";

/** Clocks of instances may differ by this. */
const SKEW_MS = 60_000;
const NOTHING = { amount: "0", count: 0 };

/** One look-up, whatever the window contains; none while nothing leaves it. */
export async function edgeOf(
  deps: Deps,
  at: MeterAt & { windowMs: number },
): Promise<KnownEdge> {
  const { meterId, split, edgeMs, windowMs } = at;
  const name = `${meterId}/${windowMs}/${split}`;
  const known = deps.memory.policyEdges.get(name);
  if (known && known.fromMs <= edgeMs && edgeMs < known.edge.untilMs) return known.edge;
  const edge = await readEdge(deps, at);
  deps.memory.policyEdges.set(name, { edge, fromMs: edgeMs });
  return edge;
}

/** Another program has changed what lies before the edge. */
export function forgetEdges({ memory }: Pick<Deps, "memory">): void {
  memory.policyEdges.clear();
}

async function readEdge(
  deps: Deps,
  at: MeterAt & { windowMs: number },
): Promise<KnownEdge> {
  const { meter, mark, removals } = await edgeRows(deps.db, at, spansAfter(at.edgeMs));
  if (meter) await genuine(deps, PolicyMeters, [meter]);
  if (mark) await genuine(deps, PolicyMarks, [mark]);
  await genuine(deps, PolicyRemovals, removals);
  const added = meter ? { amount: meter.added, count: meter.addedCount } : NOTHING;
  return {
    before: mark ? { amount: mark.added, count: mark.addedCount } : added,
    removedAfter: mark
      ? sumOf(removals.map(({ amount, payments }) => ({ amount, count: payments })))
      : NOTHING,
    removed: meter ? { amount: meter.removed, count: meter.removedCount } : NOTHING,
    revision: meter?.revision ?? 0,
    untilMs: mark?.atMs ?? at.edgeMs + at.windowMs - SKEW_MS,
  };
}

/** In the unit: the meter's row says what was counted since the edge was read. */
export function totalIn(row: PolicyMeterRow | undefined, edge: KnownEdge): Total {
  if (!row) return totalAfter(EMPTY, edge);
  if (row.revision !== edge.revision) throw new RulesChanged();
  return totalAfter(row, edge);
}

const EMPTY = { added: "0", addedCount: 0, removed: "0", removedCount: 0 };
