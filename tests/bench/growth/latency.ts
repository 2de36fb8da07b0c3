import {
  type Helper,
  SERVE,
  SERVE_PART,
  type ServerProcess,
  startLoad,
  startProgram,
} from "../processes.ts";
import type { LoadOrder, LoadReport } from "../load.ts";
import { median, ratioRow, type Round, type Row } from "../row.ts";
import { API_CASES, type Case } from "./cases.ts";
import type { GrowthOrder, GrowthRows } from "./growth_rows.ts";
import { PAGE_CASES } from "./page_cases.ts";
import type { Place } from "./place.ts";

const HOLD_SERVER = new URL("../hold_server.ts", import.meta.url).pathname;
const CASES = [...API_CASES, ...PAGE_CASES];
/** With a thousand times as many rows it may be this much slower. */
export const RATIO_MAX = 1.5;
/** A median above this is looked at more closely before it is believed. */
const RATIO_CLEAR = 1.25;
const TIMES_ROUNDS_MAX = 3;

interface Side {
  readonly place: Place;
  readonly gateway: ServerProcess;
  readonly hold: ServerProcess;
  /** One process asks both in turn, so they never work at the same time. */
  readonly load: Helper<LoadOrder, LoadReport>;
}

/** The median time of every endpoint and page, measured alternately at both sizes. */
export const LATENCIES: GrowthRows = {
  names: CASES.map(({ name }) => name),
  measure: measureLatencies,
};

async function* measureLatencies(
  { small, large, names, rounds }: GrowthOrder,
): AsyncGenerator<Row> {
  await using stack = new AsyncDisposableStack();
  const load = stack.use(startLoad());
  const sideOf = async (place: Place): Promise<Side> => {
    const { env } = place.installation;
    const gateway = stack.use(
      await startProgram({ args: SERVE, env }),
    );
    const args = [...SERVE_PART, HOLD_SERVER];
    return { place, gateway, hold: stack.use(await startProgram({ args, env })), load };
  };
  const sides = { small: await sideOf(small), large: await sideOf(large) };
  for (const one of CASES) {
    if (!names.has(one.name)) continue;
    const given = { name: one.name, unit: "ms", must: RATIO_MAX, isAtMost: true };
    yield ratioRow(given, await roundsOf(one, sides, rounds));
  }
}

async function roundsOf(
  one: Case,
  { small, large }: { small: Side; large: Side },
  rounds: number,
): Promise<Round[]> {
  const measured: Round[] = [];
  // The first one is a warm-up.
  for (let round = 0; round <= rounds || isUnclear(measured, rounds); round++) {
    const pair = { limit: await ask(small, one), ours: await ask(large, one) };
    if (round > 0) measured.push(pair);
  }
  return measured;
}

function isUnclear(measured: readonly Round[], rounds: number): boolean {
  if (measured.length >= rounds * TIMES_ROUNDS_MAX) return false;
  return median(measured.map(({ ours, limit }) => ours / limit)) > RATIO_CLEAR;
}

async function ask({ place, gateway, hold, load }: Side, one: Case): Promise<number> {
  const { port } = one.isHold ? hold : gateway;
  const { requests } = one;
  const limits = { port, connections: 1, seconds: 60, requests };
  return (await load.run({ ...limits, ...one.order(place) })).p50Ms;
}
