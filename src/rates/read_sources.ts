import { one, zip } from "../base/lists.ts";
import { NodeError } from "../chains/faults.ts";
import type { NewSource } from "./rules/new_source.ts";
import { priceOfNodes, type Reading } from "./rules/feed_round.ts";
import { priceIn } from "./rules/price.ts";
import { type RateReadingRow, RateReadings } from "./table.ts";
import { readAll, type View } from "../store/engine/workspace.ts";
import type { Deps } from "../deps/deps.ts";
import { forgetRates } from "./current.ts";
import { type KnownSource, readAsOf } from "./known.ts";

const FAULT_CHARACTERS = 300;

interface Result {
  readonly readAs: string;
  readonly reading: Reading;
}

/** All feeds of one network, in one request to each node. False: some have no price. */
export async function readFeeds(
  deps: Deps,
  { network: code, feeds }: { network: string; feeds: readonly string[] },
): Promise<boolean> {
  const readings = await askFeeds(deps, code, feeds);
  return await note(
    deps,
    zip(feeds, readings).map(([feed, reading]) => ({ readAs: `${code}/${feed}`, reading })),
  );
}

/** Nothing is written. */
export async function askSource(deps: Deps, source: NewSource): Promise<Reading | undefined> {
  if (source.kind === "http") return await askPage(deps, source);
  if (source.kind === "chainlink") return one(await askFeeds(deps, source.network, [source.feed]));
  return undefined;
}

async function askFeeds(deps: Deps, code: string, feeds: readonly string[]): Promise<Reading[]> {
  const network = (await deps.catalog.current()).network(code);
  if (!network?.isActive) return feeds.map(() => ({ fault: `${code} is not in use` }));
  try {
    const rounds = await deps.chains.of(network).feedRounds?.(feeds) ?? feeds.map(() => []);
    return rounds.map((nodes) => priceOfNodes(nodes, deps.clock.nowMs()));
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return feeds.map(() => ({ fault: error.message }));
  }
}

type PageSource = Pick<KnownSource, "id" | "url" | "pointer">;

/** The price is as old as the request for it. */
export async function readPage(deps: Deps, { id, url, pointer }: PageSource): Promise<boolean> {
  const reading = await askPage(deps, { url: url ?? "", pointer: pointer ?? "" });
  return await note(deps, [{ readAs: `http/${id}`, reading }]);
}

async function askPage(
  deps: Deps,
  { url, pointer }: { url: string; pointer: string },
): Promise<Reading> {
  const atMs = deps.clock.nowMs();
  const found = await deps.pages.read(url).then(
    (document) => priceIn(document, pointer),
    (error) => ({ fault: error instanceof Error ? error.message : String(error) }),
  );
  return "value" in found ? { ...found, atMs } : found;
}

/** What an operator has just added is read at once. */
export async function readSource(
  deps: Deps,
  source: Parameters<typeof readAsOf>[0] & PageSource,
): Promise<void> {
  const { kind, network, feed } = source;
  if (kind === "http") await readPage(deps, source);
  else if (network !== null && feed !== null) await readFeeds(deps, { network, feeds: [feed] });
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
  return results.every(({ reading }) => "value" in reading);
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
