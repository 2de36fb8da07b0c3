import { Amount } from "../domain/money/amount.ts";
import type { Total } from "./rules/rules.ts";
import { type PolicyMeterRow, PolicyMeters } from "./table.ts";
import { read, type View } from "../store/engine/workspace.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";
import type { Memory } from "../deps/memory.ts";
import type { Counter } from "./known.ts";

type CounterKey = Pick<Counter, "meterId" | "split">;

/** Somebody deleted what a limit had counted, or put it back to an earlier state. */
export class WrongCounts extends TamperedRow {
  override name = "WrongCounts";
  override until = "the rules that use it are removed and added again, which counts anew";

  constructor({ meterId, split }: CounterKey) {
    const why = "A limit has counted more than the database says now";
    super(PolicyMeters.name, { key: `${meterId}/${split}`, accountId: null }, why);
  }
}

export function counterFor(
  { policyCounters }: Pick<Memory, "policyCounters">,
  { meterId, split }: CounterKey,
): Counter {
  const name = `${meterId}/${split}`;
  return policyCounters.getOrMake(name, () => {
    const row = read<PolicyMeterRow>(PolicyMeters, [meterId, split]);
    return { meterId, split, name, read: row, counted: 0, newest: undefined };
  });
}

/** Its row as the unit sees it. Counts never fall; only memory knows how far they were. */
export function rowIn(view: View, counter: Counter): PolicyMeterRow | undefined {
  const row = view.rowOf(counter.read);
  // Written by the payment before this one.
  if (row && row === counter.newest?.row) return row;
  if ((row?.addedCount ?? 0) < counter.counted) throw new WrongCounts(counter);
  return row;
}

export interface NewCount {
  readonly counter: Counter;
  readonly addedCount: number;
}

/** Once it is committed. */
export function rememberCounted({ counter, addedCount }: NewCount): void {
  counter.counted = Math.max(counter.counted, addedCount);
}

export function addedIn({ newest }: Counter, row: PolicyMeterRow): Amount {
  return newest?.row === row ? newest.added : Amount.parse(row.added, "");
}

export const NOTHING: Total = { amount: Amount.zero(""), count: 0 };

export interface State {
  /** Everything that it counts, without what was taken out. */
  readonly total: Total;
  /** Undefined: it has counted nothing yet. */
  readonly revision: number | undefined;
}

const UNUSED: State = { total: NOTHING, revision: undefined };

export function stateIn(view: View, counter: Counter): State {
  const row = rowIn(view, counter);
  if (!row) return UNUSED;
  const amount = addedIn(counter, row).minus(Amount.parse(row.removed, ""));
  return { total: { amount, count: row.addedCount - row.removedCount }, revision: row.revision };
}
