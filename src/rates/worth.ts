import type { World } from "../networks/rules/world.ts";
import type { Db } from "../store/engine/db.ts";
import type { Unit } from "../store/engine/group_commit.ts";
import type { WorthOf } from "../store/engine/workspace.ts";
import { Balances } from "../books/table.ts";
import type { Deps } from "../deps/deps.ts";
import type { Memory } from "../deps/memory.ts";
import { currentRates, reportMissing } from "./current.ts";
import type { KnownRates } from "./known.ts";
import { worldOf } from "../networks/worlds.ts";
import { rateAt, type WorldPair } from "./rate_at.ts";

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
  const valued = unit.reads.filter((it) => isOfBalance(it) && reporting.has(Number(it.values[0])));
  const known = valued.length > 0 ? await ratesIfAny(deps) : undefined;
  if (!known) return await deps.db.write(unit);
  const missing = new Map<string, WorldPair>();
  const worlds = await worldsOf(deps, valued);
  const worthOf = worthBy(deps.memory, { reporting, known, worlds, missing });
  const outcome = await deps.db.write({ ...unit, worthOf });
  await Promise.all(Array.from(missing.values(), (pair) => reportGap(deps, known, pair)));
  return outcome;
}

/** By account and network. */
async function worldsOf(deps: Deps, reads: Unit<unknown>["reads"]): Promise<Worths["worlds"]> {
  const places = new Map(reads.map(({ values: [accountId, network] }) => {
    const place = { accountId: Number(accountId), network: String(network) };
    return [placeOf(place), place];
  }));
  const worlds = Array.from(
    places,
    async ([name, place]) => [name, await worldOf(deps, place)] as const,
  );
  return new Map(await Promise.all(worlds));
}

function placeOf({ accountId, network }: { accountId: number; network: string }): string {
  return `${accountId}/${network}`;
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
async function reportGap(deps: Deps, { sources }: KnownRates, pair: WorldPair): Promise<void> {
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
  readonly worlds: ReadonlyMap<string, World | null>;
  /** Gets the pairs without a rate, by name. */
  readonly missing: Map<string, WorldPair>;
}

function worthBy(memory: Memory, { reporting, known, worlds, missing }: Worths): WorthOf {
  return ({ accountId, network, currency, amount, nowMs }) => {
    const valueCurrency = reporting.get(accountId);
    const world = worlds.get(placeOf({ accountId, network })) ?? null;
    if (valueCurrency === undefined || world === null) return null;
    const pair = { base: currency, quote: valueCurrency, world };
    const rate = rateAt(memory.rates, known, { ...pair, nowMs });
    if (rate === null) missing.set(`${world} ${currency}/${valueCurrency}`, pair);
    if (rate === null) return null;
    const value = amount.convertedBy(rate.value, valueCurrency).toString();
    return { value, valueCurrency };
  };
}
