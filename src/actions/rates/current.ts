import type { Pair, Rate } from "../../domain/rates/rate_of.ts";
import { rateReadings, rateSources, saidAfter } from "../../store/reads/control/rates.ts";
import { RateReadings, type RateSourceRow, RateSources } from "../../store/tables/control/rates.ts";
import { filterGenuine, reportTampered, tampered, TamperedRow } from "../books/tampered.ts";
import { raiseAlert } from "../books/alerts.ts";
import type { Deps } from "../deps.ts";
import { type KnownRates, type KnownSource, knownSource } from "./known.ts";
import { presetSources } from "./presets.ts";
import { rateAt } from "./rate_at.ts";

/** The subject of all sources in the audit log. */
export const RATES = "rates";
export const SOURCE_ADDED = "rate_source.added";
export const SOURCE_REMOVED = "rate_source.removed";
/** How soon other programs' prices and sources are noticed. */
const READ_EVERY_MS = 1_000;
const REPORT_EVERY_MS = 60_000;
const RACES_MAX = 20;

/** What one unit of `base` is worth in `quote` now; null if no fresh sources agree. Rarely a query. */
export async function rateOf(deps: Deps, pair: Pair): Promise<Rate | null> {
  const known = await currentRates(deps);
  const rate = rateAt(deps.memory.rates, known, { ...pair, nowMs: deps.clock.nowMs() });
  if (!rate) await reportMissing(deps, pair);
  return rate;
}

/** Whether any source has to do with this currency, so that rates in it may exist. */
export async function hasRates(deps: Deps, symbol: string): Promise<boolean> {
  return (await ratedSymbols(deps)).has(symbol.toUpperCase());
}

/** In capitals. */
export async function ratedSymbols(deps: Deps): Promise<ReadonlySet<string>> {
  return (await currentRates(deps)).symbols;
}

export async function currentRates(deps: Deps): Promise<KnownRates> {
  const { memory: { rates: { known, reading } }, clock } = deps;
  const ageMs = clock.nowMs() - (known?.readAtMs ?? -Infinity);
  if (known && ageMs >= 0 && ageMs < READ_EVERY_MS) return known;
  return await (reading ?? readOnce(deps));
}

/** For everybody who asks meanwhile, unless this program changes the sources. */
async function readOnce(deps: Deps): Promise<KnownRates> {
  const { rates } = deps.memory;
  const reading = readRates(deps);
  rates.reading = reading;
  try {
    const known = await reading;
    if (rates.reading === reading) rates.known = known;
    return known;
  } finally {
    if (rates.reading === reading) rates.reading = undefined;
  }
}

/** This program has just changed them. */
export function forgetRates({ memory: { rates } }: Pick<Deps, "memory">): void {
  rates.known = undefined;
  rates.reading = undefined;
}

async function readRates(deps: Deps): Promise<KnownRates> {
  const readAtMs = deps.clock.nowMs();
  const { trusted, isWhole } = await trustedSources(deps);
  if (!isWhole) return { readAtMs, sources: [], symbols: new Set() };
  const rows = await filterGenuine(deps, RateReadings, await rateReadings(deps.db));
  const readings = new Map(rows.map((row) => [row.source, row]));
  const own = trusted.map((row): KnownSource => {
    const { value, createdAtMs, ...spec } = row;
    const manual = value === null ? null : { value, atMs: createdAtMs };
    const source = knownSource({ ...spec, isPreset: false }, { reading: undefined, manual });
    const reading = source.readAs === null ? undefined : readings.get(source.readAs);
    return knownSource({ ...spec, isPreset: false }, { reading, manual });
  });
  const sources = [...own, ...presetSources(await deps.catalog.current(), readings)];
  const named = sources.flatMap(({ base, quote }) => [base.toUpperCase(), quote.toUpperCase()]);
  return { readAtMs, sources, symbols: new Set(named) };
}

interface Trusted {
  readonly trusted: readonly RateSourceRow[];
  /** False: somebody deleted one that was never removed. */
  readonly isWhole: boolean;
}

/** Those that the audit log knows: an old row with a right seal may have been put back. */
async function trustedSources(deps: Deps): Promise<Trusted> {
  const { rows, known } = await sourcesAndLog(deps);
  const listed = await filterGenuine(deps, RateSources, rows);
  const trusted = listed.filter(({ id }) => known.has(id));
  for (const row of listed) {
    if (!known.has(row.id)) await reportTampered(deps, tampered(RateSources, row));
  }
  const missing = [...known].filter((id) => !rows.some((row) => row.id === id));
  if (missing.length > 0) await reportTampered(deps, new SourcesMissing(missing));
  return { trusted, isWhole: missing.length === 0 };
}

/** As of one moment, because others may add sources meanwhile. */
async function sourcesAndLog(
  deps: Deps,
): Promise<{ rows: readonly RateSourceRow[]; known: ReadonlySet<number> }> {
  for (let race = 1;; race++) {
    await addedSources(deps);
    const rows = await rateSources(deps.db);
    const { known, hasChanged } = await addedSources(deps);
    if (!hasChanged || race === RACES_MAX) return { rows, known };
  }
}

/** Those that were added and not removed again, as the log says. */
export async function addedSources(
  { db, memory }: Pick<Deps, "db" | "memory">,
): Promise<{ known: ReadonlySet<number>; hasChanged: boolean }> {
  const { toId, ids } = memory.rates.added;
  const said = await saidAfter(db, { subject: RATES, id: toId });
  const now = new Set(ids);
  for (const { action, detail } of said) {
    if (action === SOURCE_ADDED) now.add(Number(detail.source_id));
    if (action === SOURCE_REMOVED) now.delete(Number(detail.source_id));
  }
  memory.rates.added = { toId: said.at(-1)?.id ?? toId, ids: now };
  return { known: now, hasChanged: said.length > 0 };
}

class SourcesMissing extends TamperedRow {
  override name = "SourcesMissing";
  override until = "you have removed them too";

  constructor(ids: readonly number[]) {
    const why = `Rate sources that nobody removed are missing from the database: ${ids.join(", ")}`;
    super(RateSources.name, { key: "all", accountId: null }, why);
  }
}

/** Something wanted to use it. */
export async function reportMissing(deps: Deps, { base, quote }: Pair): Promise<void> {
  const { memory: { rates: { missing } }, clock } = deps;
  const subject = missingSubject({ base, quote });
  const nowMs = clock.nowMs();
  if (nowMs < (missing.get(subject) ?? -Infinity) + REPORT_EVERY_MS) return;
  missing.set(subject, nowMs);
  const message = `There is no rate for ${base}/${quote}: its sources are missing, stale or too ` +
    "far apart";
  await raiseAlert(deps, { kind: "rate_missing", subject, message });
}

const PREFIX = "rate:";

function missingSubject({ base, quote }: Pair): string {
  return `${PREFIX}${base.toUpperCase()}/${quote.toUpperCase()}`;
}

export function pairOfSubject(subject: string): Pair {
  const [base = "", quote = ""] = subject.slice(PREFIX.length).split("/");
  return { base, quote };
}
