import { outsideOf, spansAfter, sumOf, totalAfter } from "./rules/meter.ts";
import { Amount } from "../domain/money/amount.ts";
import type { Total } from "./rules/rules.ts";
import { edgeRows, type MeterAt } from "./reads/policies.ts";
import { PolicyMarks, PolicyMeters, PolicyRemovals } from "./table.ts";
import { genuine, reportTampered } from "../books/tampered.ts";
import type { Deps } from "../deps/deps.ts";
import type { EdgeMoved } from "./book.ts";
import type { Edges, KnownEdge, Plan, Window } from "./known.ts";
import { WrongCounts } from "./counter.ts";

/** Clocks of instances may differ by this. */
const SKEW_MS = 60_000;

/** Undefined: something has left its windows, or may have. */
export function knownEdges({ edges }: Plan, nowMs: number): Edges["of"] | undefined {
  return edges && edges.fromMs <= nowMs && nowMs < edges.untilMs ? edges.of : undefined;
}

/** One look-up for each window, whatever it contains. */
export async function edgesAt(deps: Deps, plan: Plan, nowMs: number): Promise<Edges["of"]> {
  const looks = [...plan.windows.values()].map(async (window) =>
    [window, await edgeOf(deps, window, nowMs)] as const
  );
  const of = new Map(await Promise.all(looks));
  const untilMs = [...of].reduce(
    (first, [{ windowMs }, edge]) => Math.min(first, edge.untilMs + windowMs),
    Infinity,
  );
  plan.edges = { of, fromMs: nowMs, untilMs };
  return of;
}

async function edgeOf(
  deps: Deps,
  { counter: { meterId, split }, windowMs, name }: Window,
  nowMs: number,
): Promise<KnownEdge> {
  const edgeMs = nowMs - windowMs;
  const known = deps.memory.policyEdges.get(name);
  if (known && known.fromMs <= edgeMs && edgeMs < known.edge.untilMs) return known.edge;
  return await deps.memory.edgeLooks.run(`${name}/${edgeMs}`, async () => {
    const edge = await readEdge(deps, { meterId, split, windowMs, edgeMs });
    deps.memory.policyEdges.set(name, { edge, fromMs: edgeMs });
    return edge;
  });
}

/** Unless another payment has read it again since. */
export function forgetEdge({ memory }: Pick<Deps, "memory">, { plan, window, edge }: EdgeMoved) {
  if (plan.edges?.of.get(window) === edge) plan.edges = undefined;
  const known = memory.policyEdges.get(window.name);
  if (known?.edge === edge) memory.policyEdges.set(window.name, { edge, fromMs: Infinity });
}

/** Another program has changed the rules. */
export function forgetEdges({ memory }: Pick<Deps, "memory">): void {
  memory.policyEdges.clear();
  memory.policyPlans.clear();
}

async function readEdge(
  deps: Deps,
  at: MeterAt & { windowMs: number },
): Promise<KnownEdge> {
  const { meter, mark, outside } = await readWindow(deps, at);
  return {
    outside,
    revision: meter?.revision ?? 0,
    untilMs: mark?.atMs ?? at.edgeMs + at.windowMs - SKEW_MS,
  };
}

/** What counts in a window now. */
export async function usedNow(
  deps: Deps,
  { meterId, split, windowMs }: Omit<MeterAt, "edgeMs"> & { windowMs: number },
): Promise<Total> {
  const edgeMs = deps.clock.nowMs() - windowMs;
  const { meter, outside } = await readWindow(deps, { meterId, split, edgeMs });
  const [added, removed] = [
    total(meter?.added, meter?.addedCount),
    total(meter?.removed, meter?.removedCount),
  ];
  return totalAfter(totalAfter(added, removed), outside);
}

async function readWindow(deps: Deps, at: MeterAt) {
  const { meter, mark, removals } = await edgeRows(deps.db, at, spansAfter(at.edgeMs));
  if (meter) await genuine(deps, PolicyMeters, [meter]);
  if (mark) await genuine(deps, PolicyMarks, [mark]);
  await genuine(deps, PolicyRemovals, removals);
  const missedAtMs = mark ? mark.previousAtMs : meter?.lastMarkMs;
  if (missedAtMs && missedAtMs > at.edgeMs) {
    const fault = new WrongCounts(at);
    await reportTampered(deps, fault);
    throw fault;
  }
  const added = total(meter?.added, meter?.addedCount);
  const edge = {
    before: mark ? total(mark.added, mark.addedCount) : added,
    removedAfter: sumOf(mark ? removals.map((row) => total(row.amount, row.payments)) : []),
    removed: total(meter?.removed, meter?.removedCount),
  };
  return { meter, mark, outside: outsideOf(edge) };
}

function total(amount = "0", count = 0): Total {
  return { amount: Amount.parse(amount, ""), count };
}
