import { one, zip } from "../base/lists.ts";
import { isPriced, type Reading } from "./rules/reading.ts";
import { kindOf, kindOfNew, type NewSource, readAsOf, type Source } from "./sources/kinds.ts";
import { type RateReadingRow, RateReadings } from "./table.ts";
import { readAll, type View } from "../store/engine/workspace.ts";
import type { Deps } from "../deps/deps.ts";
import { forgetRates } from "./current.ts";

const FAULT_CHARACTERS = 300;

interface Result {
  readonly readAs: string;
  readonly reading: Reading;
}

/** Of one kind, and all at once if that reads several together. False: none has a price. */
export async function readSources(deps: Deps, sources: readonly Source[]): Promise<boolean> {
  const reads = sources[0] && kindOf(sources[0])?.reads;
  if (!reads) return true;
  const shared = new Map(sources.map((source) => [readAsOf(source) ?? "", source]));
  const readings = await reads.prices(deps, [...shared.values()]);
  const results = zip([...shared.keys()], readings);
  return await note(deps, results.map(([readAs, reading]) => ({ readAs, reading })));
}

/** Nothing is written. Undefined: it isn't read anywhere. */
export async function askSource(deps: Deps, source: NewSource): Promise<Reading | undefined> {
  const { reads } = kindOfNew(source);
  return reads && one(await reads.prices(deps, [source]));
}

/** Writes only what has changed. */
async function note(deps: Deps, results: readonly Result[]): Promise<boolean> {
  await deps.db.write({
    reads: readAll(RateReadings, results.map(({ readAs }) => [readAs])),
    decide: (view) => {
      for (const result of results) noteOne(view, result);
    },
  });
  forgetRates(deps);
  // One that is missing in an answer must not make the others old.
  return results.some(({ reading }) => isPriced(reading));
}

const UNREAD = { value: null, atMs: null, error: null, failingSinceMs: null };

function noteOne(view: View, { readAs, reading }: Result): void {
  const stored = view.raw.find(RateReadings, [readAs]);
  const isOurs = stored !== undefined && view.isGenuine(RateReadings, stored);
  const before: RateReadingRow = isOurs ? stored : { source: readAs, ...UNREAD };
  const after = { ...before, ...changeOf(before, { reading, nowMs: view.nowMs }) };
  if (isOurs && JSON.stringify(after) === JSON.stringify(before)) return;
  if (isOurs) view.update(RateReadings, stored, after);
  else {
    if (stored) view.remove(RateReadings, stored);
    view.insertKeyed(RateReadings, after);
  }
}

function changeOf(
  { atMs, failingSinceMs }: RateReadingRow,
  { reading, nowMs }: { reading: Reading; nowMs: number },
): Partial<RateReadingRow> {
  if ("fault" in reading) {
    const error = reading.fault.slice(0, FAULT_CHARACTERS);
    return { error, failingSinceMs: failingSinceMs ?? nowMs };
  }
  const fine = { error: null, failingSinceMs: null };
  // A node that is behind must not bring an older price back.
  return atMs !== null && reading.atMs < atMs ? fine : { ...reading, ...fine };
}
