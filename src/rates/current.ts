import type { Rate } from "./rules/rate_of.ts";
import { rateReadings, rateSources, saidAfter } from "./reads.ts";
import { type RateReadingRow, RateReadings, type RateSourceRow, RateSources } from "./table.ts";
import { filterGenuine, reportTampered } from "../books/tampered.ts";
import { tampered, TamperedRow } from "../store/engine/tampered_row.ts";
import { raiseAlert } from "../books/alerts.ts";
import type { Deps } from "../deps/deps.ts";
import type { Catalog } from "../store/engine/catalog.ts";
import type { World } from "../networks/rules/world.ts";
import { isTestNetwork } from "../networks/test_networks.ts";
import { realNetworks } from "../networks/worlds.ts";
import type { KnownRates, KnownSource } from "./known.ts";
import { rateAt, type WorldPair } from "./rate_at.ts";
import { readAsOf, SOURCE_KINDS } from "./sources/kinds.ts";
import { NOTHING } from "./sources/source.ts";

/** The subject of all sources in the audit log. */
export const RATES = "rates";
export const SOURCE_ADDED = "rate_source.added";
export const SOURCE_REMOVED = "rate_source.removed";
/** How soon other programs' prices and sources are noticed. */
const READ_EVERY_MS = 1_000;
const REPORT_EVERY_MS = 60_000;
const RACES_MAX = 20;

/** What one unit of `base` is worth in `quote` now; null if no fresh sources agree. Rarely a query. */
export async function rateOf(deps: Deps, pair: WorldPair): Promise<Rate | null> {
  const rate = await rateIfAny(deps, pair);
  if (!rate) await reportMissing(deps, pair);
  return rate;
}

/** As `rateOf`, for those who can do without: nobody is told that there is none. */
export async function rateIfAny(deps: Deps, pair: WorldPair): Promise<Rate | null> {
  const known = await currentRates(deps);
  return rateAt(deps.memory.rates, known, { ...pair, nowMs: deps.clock.nowMs() });
}

/** Whether any source has to do with this currency, so that rates in it may exist. */
export async function hasRates(deps: Deps, symbol: string): Promise<boolean> {
  return (await ratedSymbols(deps, "test")).has(symbol.toUpperCase());
}

/** In capitals. The test world has all that the real one has. */
export async function ratedSymbols(deps: Deps, world: World): Promise<ReadonlySet<string>> {
  return (await currentRates(deps)).symbols[world];
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
  if (!isWhole) return knownOf([], { readAtMs, isOneWorld: true });
  const rows = await filterGenuine(deps, RateReadings, await rateReadings(deps.db));
  const readings = new Map(rows.map((row) => [row.source, row]));
  const catalog = await deps.catalog.current();
  const sources = [
    ...trusted.map((row) => ({ ...row, isPreset: false })),
    ...SOURCE_KINDS.flatMap(({ name: kind, presets }) =>
      (presets?.(catalog) ?? []).map((preset) => (
        { ...NOTHING, ...preset, id: null, kind, isPreset: true, createdAtMs: readAtMs }
      ))
    ),
  ].map((spec) => knownSource(spec, { readings, catalog }));
  return knownOf(sources, { readAtMs, isOneWorld: realNetworks(catalog).length === 0 });
}

type Spec = Omit<RateSourceRow, "id"> & Pick<KnownSource, "id" | "isPreset">;

function knownSource(
  { value, createdAtMs, ...spec }: Spec,
  { readings, catalog }: { readings: ReadonlyMap<string, RateReadingRow>; catalog: Catalog },
): KnownSource {
  const readAs = readAsOf(spec);
  const reading = readAs === null ? undefined : readings.get(readAs);
  const network = spec.network === null ? undefined : catalog.network(spec.network);
  return {
    ...spec,
    readAs,
    price: value === null
      ? priceOf(reading?.value ?? null, reading?.atMs ?? null)
      : { value, atMs: createdAtMs },
    error: reading?.error ?? null,
    failingSinceMs: reading?.failingSinceMs ?? null,
    isTest: network !== undefined && isTestNetwork(network),
  };
}

function priceOf(value: string | null, atMs: number | null): KnownSource["price"] {
  return value === null || atMs === null ? null : { value, atMs };
}

function knownOf(
  sources: readonly KnownSource[],
  { readAtMs, isOneWorld }: { readAtMs: number; isOneWorld: boolean },
): KnownRates {
  const real = isOneWorld ? sources : sources.filter(({ isTest }) => !isTest);
  const symbols = { real: symbolsOf(real), test: symbolsOf(sources) };
  return { readAtMs, sources, of: { real, test: sources }, symbols };
}

function symbolsOf(sources: readonly KnownSource[]): ReadonlySet<string> {
  return new Set(
    sources.flatMap(({ base, quote }) => [base.toUpperCase(), quote.toUpperCase()]),
  );
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
export async function reportMissing(deps: Deps, pair: WorldPair): Promise<void> {
  const { memory: { rates: { missing } }, clock } = deps;
  const { base, quote, world } = pair;
  const subject = missingSubject(pair);
  const nowMs = clock.nowMs();
  if (nowMs < (missing.get(subject) ?? -Infinity) + REPORT_EVERY_MS) return;
  missing.set(subject, nowMs);
  const of = world === "test" ? " of test coins" : "";
  const message =
    `There is no rate for ${base}/${quote}${of}: its sources are missing, stale or too ` +
    "far apart";
  await raiseAlert(deps, { kind: "rate_missing", subject, message });
}

const PREFIX = "rate:";
/** Before the pair. No symbol has a slash. */
const OF_TEST = "test/";

function missingSubject({ base, quote, world }: WorldPair): string {
  const of = world === "test" ? OF_TEST : "";
  return `${PREFIX}${of}${base.toUpperCase()}/${quote.toUpperCase()}`;
}

export function pairOfSubject(subject: string): WorldPair {
  const parts = subject.slice(PREFIX.length).split("/");
  const [quote = "", base = ""] = parts.toReversed();
  return { base, quote, world: parts.length > 2 ? "test" : "real" };
}
