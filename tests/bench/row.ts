/** One line of the table. */
export interface Row {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  /** Our figure is divided by this; null if the figure stands for itself. */
  readonly limit: number | null;
  readonly limitIs: string;
  /** The median of the rounds' own ratios, so that what slows the machine down slows both. */
  readonly ratio: number | null;
  /** The lowest ratio, or the lowest figure where there are no ratios. */
  readonly lowest: number;
  readonly highest: number;
  /** The ratio must reach this; where there is none, the figure. */
  readonly must: number;
  readonly beyond: number | null;
  readonly isAtMost: boolean;
  readonly p99Ms: number | null;
  readonly p99MaxMs: number | null;
  readonly isReached: boolean;
  readonly seconds: number;
}

type Given =
  & Pick<Row, "name" | "unit" | "must" | "isAtMost">
  & Partial<Pick<Row, "limitIs" | "beyond" | "p99MaxMs">>;

export interface Round {
  readonly ours: number;
  readonly limit: number;
  readonly p99Ms?: number | undefined;
}

/** A row of our figure and the limit, both measured in each round. */
export function ratioRow(given: Given, rounds: readonly Round[]): Row {
  const ratios = rounds.map(({ ours, limit }) => ours / limit);
  const slow = rounds.flatMap(({ p99Ms }) => p99Ms === undefined ? [] : [p99Ms]);
  return finished(given, {
    ours: median(rounds.map(({ ours }) => ours)),
    limit: median(rounds.map(({ limit }) => limit)),
    ratio: median(ratios),
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
    p99Ms: slow.length > 0 ? median(slow) : null,
  });
}

/** A row of a figure that isn't divided by anything. */
export function figureRow(given: Given, figures: readonly number[]): Row {
  return finished(given, {
    ours: median(figures),
    limit: null,
    ratio: null,
    lowest: Math.min(...figures),
    highest: Math.max(...figures),
    p99Ms: null,
  });
}

/** A row of slopes. Slopes between neighbouring points say little, so it shows quartiles. */
export function slopeRow(given: Given, slopes: readonly number[]): Row {
  const sorted = slopes.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)]!;
  return { ...figureRow(given, slopes), lowest: at(0.25), highest: at(0.75) };
}

function finished(
  given: Given,
  measured: Pick<Row, "ours" | "limit" | "ratio" | "lowest" | "highest" | "p99Ms">,
): Row {
  const { limitIs = "", beyond = null, p99MaxMs = null, must, isAtMost } = given;
  const value = measured.ratio ?? measured.ours;
  const isGood = isAtMost ? value <= must : value >= must;
  const isReached = isGood && (measured.p99Ms ?? 0) <= (p99MaxMs ?? Infinity);
  return { ...given, ...measured, limitIs, beyond, p99MaxMs, isReached, seconds: 0 };
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
