/** One row of the table: what we reach beside what this machine allows, both measured now. */
export interface Figure {
  readonly name: string;
  /** What the ratio is taken of, in words. */
  readonly limit: string;
  readonly unit: string;
  /** Ours divided by the limit must reach this. */
  readonly must: number;
  readonly beyond: number;
  /** The most that the slowest of a hundred may take. */
  readonly p99MaxMs?: number;
  /** Starts what is measured; undefined with a reason on stderr where the machine lacks it. */
  prepare(): Promise<Bench | string>;
}

export interface Bench extends AsyncDisposable {
  limit(): Promise<Sample>;
  ours(): Promise<Sample>;
}

export interface Sample {
  readonly perSecond: number;
  readonly p99Ms?: number;
}

export interface Measured {
  readonly name: string;
  readonly limit: string;
  readonly unit: string;
  readonly limitPerSecond: number;
  readonly oursPerSecond: number;
  /** The median of the rounds' own ratios, so that what slows the machine down slows both. */
  readonly ratio: number;
  readonly lowest: number;
  readonly highest: number;
  readonly p99Ms: number | null;
  readonly must: number;
  readonly beyond: number;
  readonly isReached: boolean;
}

/** Limit and ours by turns, after one round that only warms up. */
export async function measure(figure: Figure, rounds: number): Promise<Measured | string> {
  const prepared = await figure.prepare();
  if (typeof prepared === "string") return prepared;
  await using bench = prepared;
  await bench.limit();
  await bench.ours();
  const limits: Sample[] = [];
  const ours: Sample[] = [];
  for (let round = 0; round < rounds; round++) {
    limits.push(await bench.limit());
    ours.push(await bench.ours());
  }
  const ratios = ours.map(({ perSecond }, i) => perSecond / limits[i]!.perSecond);
  const ratio = median(ratios);
  const slow = ours.flatMap(({ p99Ms }) => p99Ms === undefined ? [] : [p99Ms]);
  const p99Ms = slow.length > 0 ? median(slow) : null;
  const { name, limit, unit, must, beyond, p99MaxMs = Infinity } = figure;
  return {
    name,
    limit,
    unit,
    limitPerSecond: median(limits.map(({ perSecond }) => perSecond)),
    oursPerSecond: median(ours.map(({ perSecond }) => perSecond)),
    ratio,
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
    p99Ms,
    must,
    beyond,
    isReached: ratio >= must && (p99Ms ?? 0) <= p99MaxMs,
  };
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

export async function perSecond(count: number, work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return count / (performance.now() - startedAt) * 1_000;
}
