import { median } from "../figure.ts";

/** What grows, and what it costs then. */
export interface GrowthRow {
  readonly name: string;
  readonly unit: string;
  /** Null where only the large one is looked at. */
  readonly small: number | null;
  readonly large: number;
  /** The median of the rounds' own ratios, or the figure itself. */
  readonly value: number;
  readonly lowest: number;
  readonly highest: number;
  readonly limit: number;
}

export interface Pair {
  readonly small: number;
  readonly large: number;
}

/** So much slower may it be with a thousand times as much. */
const RATIO_MAX = 1.5;

export function ratioRow(name: string, unit: string, rounds: readonly Pair[]): GrowthRow {
  const ratios = rounds.map(({ small, large }) => large / small);
  return {
    name,
    unit,
    small: median(rounds.map(({ small }) => small)),
    large: median(rounds.map(({ large }) => large)),
    value: median(ratios),
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
    limit: RATIO_MAX,
  };
}

export function figureRow(
  { name, unit, limit }: Pick<GrowthRow, "name" | "unit" | "limit">,
  figures: readonly number[],
): GrowthRow {
  return {
    ...{ name, unit, limit },
    small: null,
    large: median(figures),
    value: median(figures),
    lowest: Math.min(...figures),
    highest: Math.max(...figures),
  };
}

/** Of slopes between any two points, of which those of neighbours say little: quartiles are told. */
export function slopeRow(
  of: Pick<GrowthRow, "name" | "unit" | "limit">,
  slopes: readonly number[],
): GrowthRow {
  const sorted = slopes.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)]!;
  return { ...figureRow(of, slopes), lowest: at(0.25), highest: at(0.75) };
}

export function growthLine(row: GrowthRow): string {
  const { name, unit, small, large, value, lowest, highest, limit } = row;
  const spread = `[${lowest.toFixed(2)}-${highest.toFixed(2)}]`;
  const miss = value > limit ? "  NOT REACHED" : "";
  const cost = small === null
    ? `${large.toFixed(2)} ${unit} ${spread}, at most ${limit}`
    : `${small.toFixed(2).padStart(8)} -> ${large.toFixed(2).padStart(8)} ${unit}  ` +
      `ratio ${value.toFixed(2)} ${spread}, at most ${limit}`;
  return `${name.padEnd(66)} ${cost}${miss}`;
}
