import { isSameSymbol, spellingIn } from "../domain/money/symbols.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { allPolicies } from "../policies/reads/policies.ts";
import { rateSources } from "./reads.ts";
import { type RateReadingRow, RateReadings, type RateSourceRow, RateSources } from "./table.ts";
import { read } from "../store/engine/workspace.ts";
import { recordAudit } from "../books/records.ts";
import { type Guard, guardOfAll, type Mandate } from "../control/guard.ts";
import { type By, guarded, textIn } from "../control/guarded.ts";
import type { Deps } from "../deps/deps.ts";
import { addedSources, forgetRates, RATES, SOURCE_ADDED, SOURCE_REMOVED } from "./current.ts";
import { askSource } from "./read_sources.ts";
import { kindOfNew, type NewSource, readAsOf } from "./sources/kinds.ts";
import { NOTHING } from "./sources/source.ts";

const SOURCES_MAX = 200;

export const rateSourceAdd = guarded({
  kind: "rate_source.add",
  ability: null,
  sentence: (source: NewSource) =>
    `add a source of ${source.base}/${source.quote}: ${kindOfNew(source).originOf(source)}`,
  run: (deps, wanted, how) => addSource(deps, { ...wanted, ...how }),
});

export async function addSource(
  deps: Deps,
  { actor, mandate, ...order }: NewSource & By,
): Promise<RateSourceRow> {
  const source = await checked(deps, order);
  if ((await rateSources(deps.db)).length >= SOURCES_MAX) {
    throw refuse("rate_sources_too_many", { max: SOURCES_MAX });
  }
  const guard = await guardFor(deps, mandate);
  const row = await deps.db.write({
    reads: guard.reads,
    decide: (view) => {
      const { nowMs } = view;
      guard.pass(view, { isLooser: true, before: null, after: source });
      const row = view.insert(RateSources, { ...NOTHING, ...source, createdAtMs: nowMs });
      const detail = { source_id: row.id, before: null, after: row };
      recordAudit(view, { actor, action: SOURCE_ADDED, subject: RATES, detail, nowMs });
      return row;
    },
  });
  forgetRates(deps);
  return row;
}

/** Called before it is added or proposed: a mistyped address would only be noticed when it is needed. */
export async function assertHasPrice(deps: Deps, order: NewSource): Promise<void> {
  const reading = await askSource(deps, await checked(deps, order));
  if (reading && "fault" in reading) throw refuse("rate_unread", { why: reading.fault });
}

export const rateSourceRemove = guarded({
  kind: "rate_source.remove",
  ability: null,
  sentence: ({ id }: { readonly id: number }, before) =>
    `remove source ${id} of ${textIn(before, "base")}/${textIn(before, "quote")}`,
  run: (deps, wanted, how) => removeSource(deps, { ...wanted, ...how }),
});

/** Also one that somebody deleted from the database. */
export async function removeSource(
  deps: Deps,
  { id, actor, mandate }: By & { readonly id: number },
): Promise<RateSourceRow | null> {
  const { known } = await addedSources(deps);
  const row = await deps.db.find(RateSources, [id]);
  if (!row && !known.has(id)) throw refuse("rate_source_unknown", { id });
  const readAs = row ? readAsOf(row) : null;
  const readings = readAs === null ? [] : [read<RateReadingRow>(RateReadings, [readAs])];
  const guard = await guardFor(deps, mandate);
  await deps.db.write({
    reads: [read(RateSources, [id]), ...readings, ...guard.reads],
    decide: (view) => {
      const before = view.raw.find(RateSources, [id]) ?? null;
      if (!before && row) throw refuse("rate_source_unknown", { id });
      guard.pass(view, { isLooser: true, before, after: null });
      const { nowMs } = view;
      const detail = { source_id: id, before, after: null };
      recordAudit(view, { actor, action: SOURCE_REMOVED, subject: RATES, detail, nowMs });
      // Another source of the same feed has its price again after the next reading.
      for (const at of readings) {
        const reading = view.raw.rowOf(at);
        if (reading) view.remove(RateReadings, reading);
      }
      if (before) view.remove(RateSources, before);
    },
  });
  forgetRates(deps);
  return row ?? null;
}

/** Any price may let a rule allow more, so those whose rules count in another currency have a say. */
async function guardFor(deps: Deps, mandate: Mandate | undefined): Promise<Guard> {
  const valued = (await allPolicies(deps.db)).filter(({ quote }) => quote !== null);
  const accountIds = [...new Set([null, ...valued.map(({ accountId }) => accountId)])];
  return await guardOfAll(deps, { accountIds, mandate });
}

/** Symbols as the networks have them, or in capitals. */
async function checked(deps: Deps, order: NewSource): Promise<NewSource> {
  const { currencies } = await deps.catalog.current();
  const symbols = currencies.map(({ symbol }) => symbol);
  const named = (text: string) => spellingIn(symbols, text) ?? text.toUpperCase();
  const [base, quote] = [named(order.base), named(order.quote)];
  if (isSameSymbol(base, quote)) throw refuse("rate_pair_same");
  const source = { ...order, base, quote };
  const spelled = await kindOfNew(order).checked(deps, source);
  return { ...source, ...spelled } as NewSource;
}
