import type { Pair } from "../../domain/rates/rate_of.ts";
import type { Db } from "../../store/engine/db.ts";
import type { Unit } from "../../store/engine/group_commit.ts";
import type { WorthOf } from "../../store/engine/workspace.ts";
import { Balances } from "../../store/tables/ledger.ts";
import type { Deps } from "../deps.ts";
import type { Memory } from "../memory.ts";
import { currentRates, reportMissing } from "./current.ts";
import type { KnownRates } from "./known.ts";
import { rateAt } from "./rate_at.ts";

/**
 * Gives the units of accounts that report in a currency what their ledger entries are worth. Rates
 * are known before such a unit is queued, and nobody else's waits for them.
 */
export function valuing(deps: Deps): Deps {
  const { db, catalog } = deps;
  const write: Db["write"] = (unit) => {
    const isUnvalued = catalog.fresh()?.reporting.size === 0 || !unit.reads.some(isOfBalance);
    return isUnvalued ? db.write(unit) : writeValued(deps, unit);
  };
  return { ...deps, db: { ...db, write } };
}

async function writeValued<T>(deps: Deps, unit: Unit<T>): Promise<T> {
  const { reporting } = await deps.catalog.current();
  const isValued = unit.reads.some((it) => isOfBalance(it) && reporting.has(Number(it.values[0])));
  const known = isValued ? await ratesIfAny(deps) : undefined;
  if (!known) return await deps.db.write(unit);
  const missing = new Map<string, Pair>();
  const worthOf = worthBy(deps.memory, { reporting, known, missing });
  const outcome = await deps.db.write({ ...unit, worthOf });
  await Promise.all(Array.from(missing.values(), (pair) => reportGap(deps, known, pair)));
  return outcome;
}

/** No entry is written without its balance, which its unit has to read. */
function isOfBalance({ table }: Unit<unknown>["reads"][number]): boolean {
  return table === Balances;
}

/** Money is booked even if nobody can say what it is worth. */
async function ratesIfAny(deps: Deps): Promise<KnownRates | undefined> {
  try {
    return await currentRates(deps);
  } catch (error) {
    deps.log.error("Ledger entries get no value: the rates can't be read", { error });
    return undefined;
  }
}

/** Coins that no source names have no price that could be missing. */
async function reportGap(deps: Deps, { sources }: KnownRates, pair: Pair): Promise<void> {
  const base = pair.base.toUpperCase();
  if (!sources.some((it) => [it.base, it.quote].some((name) => name.toUpperCase() === base))) {
    return;
  }
  try {
    await reportMissing(deps, pair);
  } catch (error) {
    deps.log.error("A missing rate could not be reported", { ...pair, error });
  }
}

interface Worths {
  readonly reporting: ReadonlyMap<number, string>;
  readonly known: KnownRates;
  /** Gets the pairs without a rate, by name. */
  readonly missing: Map<string, Pair>;
}

function worthBy(memory: Memory, { reporting, known, missing }: Worths): WorthOf {
  return ({ accountId, currency, amount, nowMs }) => {
    const valueCurrency = reporting.get(accountId);
    if (valueCurrency === undefined) return null;
    const pair = { base: currency, quote: valueCurrency };
    const rate = rateAt(memory.rates, known, { ...pair, nowMs });
    if (rate === null) missing.set(`${currency}/${valueCurrency}`, pair);
    if (rate === null) return null;
    const value = amount.convertedBy(rate.value, valueCurrency).toString();
    return { value, valueCurrency };
  };
}
