import type { Missing, Part } from "./part.ts";
import { ratioRow, type Round, type Row } from "./row.ts";

/** The gateway's speed and what this machine allows, measured in the same run. */
export interface Figure {
  readonly name: string;
  /** Describes what the ratio is divided by. */
  readonly limit: string;
  readonly unit: string;
  /** Our figure divided by the limit must reach this. */
  readonly must: number;
  readonly beyond: number;
  /** The most that the 99th percentile may be. */
  readonly p99MaxMs?: number;
  /** Rounds before those that count, until the compiler has optimised our code; 1 by default. */
  readonly warmUps?: number;
  /** Prepares this many rounds after warming up; returns the reason if the machine can't run it. */
  prepare(rounds: number): Promise<Bench | string>;
}

/** Our code runs first, so that the limit may use what it did. */
export interface Bench extends AsyncDisposable {
  ours(): Promise<Sample>;
  limit(): Promise<Sample>;
}

export interface Sample {
  readonly perSecond: number;
  readonly p99Ms?: number;
}

export function figuresPart(figures: readonly Figure[]): Part {
  return {
    key: "limits",
    heading: "Beside what this machine allows, measured by turns",
    names: figures.map(({ name }) => name),
    async *measure({ names, rounds }) {
      for (const figure of figures) if (names.has(figure.name)) yield await measure(figure, rounds);
    },
  };
}

/** Measures our code and the limit in turns. */
async function measure(figure: Figure, rounds: number): Promise<Row | Missing> {
  const { name, limit: limitIs, unit, must, beyond, p99MaxMs = null, warmUps = 1 } = figure;
  const prepared = await figure.prepare(rounds);
  if (typeof prepared === "string") return { name, reason: prepared };
  await using bench = prepared;
  const measured: Round[] = [];
  for (let round = -warmUps; round < rounds; round++) {
    const ours = await bench.ours();
    const limit = await bench.limit();
    if (round >= 0) {
      measured.push({ ours: ours.perSecond, limit: limit.perSecond, p99Ms: ours.p99Ms });
    }
  }
  return ratioRow({ name, limitIs, unit, must, beyond, p99MaxMs, isAtMost: false }, measured);
}

export async function perSecond(count: number, work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return count / (performance.now() - startedAt) * 1_000;
}
