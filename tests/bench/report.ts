import type { Missing } from "./part.ts";
import type { Row } from "./row.ts";

export interface Section {
  readonly heading: string;
  readonly rows: readonly (Row | Missing)[];
  /** See `Part`. */
  readonly hasGoals?: boolean;
}

const COLUMNS = ["", "Ours", "Limit", "Ratio", "Spread", "Must", "Beyond", "Took", "", ""];
/** Texts; all else are numbers. */
const LEFT: ReadonlySet<number> = new Set([0, 8, 9]);

const GOAL_COLUMNS = ["", "Now", "Spread", "Goal", "", "Took"];
const GOAL_LEFT: ReadonlySet<number> = new Set([0, 3, 4]);

export function tableOf({ heading, rows, hasGoals = false }: Section): string {
  const lines = hasGoals ? aligned([GOAL_COLUMNS, ...rows.map(goalCells)], GOAL_LEFT) : aligned(
    [COLUMNS, ...rows.map((row) => "reason" in row ? missingCells(row) : cellsOf(row))],
    LEFT,
  );
  const measured = rows.filter((row): row is Row => !("reason" in row));
  const reached = measured.filter(({ isReached }) => isReached).length;
  const total = `${reached} of ${measured.length} reached`;
  return [heading, "", ...lines, "", total].join("\n");
}

function aligned(cells: readonly (readonly string[])[], left: ReadonlySet<number>): string[] {
  const widths = cells[0]!.map((_, i) => Math.max(...cells.map((line) => line[i]!.length)));
  return cells.map((line) =>
    line.map((cell, i) => left.has(i) ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))
      .join("  ").trimEnd()
  );
}

function goalCells(row: Row | Missing): string[] {
  if ("reason" in row) return [row.name, "", "", "", row.reason, ""];
  const { name, unit, ours, lowest, highest, must, isAtMost, isReached, seconds } = row;
  return [
    name,
    amount(ours),
    lowest === highest ? "" : `${amount(lowest)} - ${amount(highest)}`,
    `${isAtMost ? "≤" : "≥"} ${must} ${unit}`,
    isReached ? "ok" : "short",
    timeOf(seconds),
  ];
}

function cellsOf(row: Row): string[] {
  const { name, unit, ours, limit, lowest, highest, must, beyond, seconds, limitIs } = row;
  const isFigure = row.ratio === null;
  const of = (value: number) => isFigure ? amount(value) : value.toFixed(2);
  const sign = row.isAtMost ? "≤" : "≥";
  return [
    name,
    `${amount(ours)} ${unit}`,
    limit === null ? "" : amount(limit),
    row.ratio === null ? "" : row.ratio.toFixed(2),
    `${of(lowest)} - ${of(highest)}`,
    `${sign} ${must}${isFigure ? ` ${unit}` : ""}`,
    beyond === null ? "" : String(beyond),
    timeOf(seconds),
    verdict(row),
    limitIs === "" ? "" : `limit: ${limitIs}`,
  ];
}

function missingCells({ name, reason }: Missing): string[] {
  return [name, "", "", "", "", "", "", "", `not measured: ${reason}`, ""];
}

function verdict({ isReached, ratio, beyond, isAtMost, p99Ms, p99MaxMs }: Row): string {
  const slowest = p99Ms === null
    ? ""
    : `, p99 ${p99Ms.toFixed(1)} ms${p99MaxMs === null ? "" : ` of ${p99MaxMs}`}`;
  const isBeyond = beyond !== null && ratio !== null && !isAtMost && ratio >= beyond;
  return (isReached ? isBeyond ? "beyond" : "reached" : "NOT REACHED") + slowest;
}

/** A line for the person who waits. */
export function progressLine(row: Row | Missing): string {
  if ("reason" in row) return `${row.name}: not measured: ${row.reason}`;
  const { name, unit, ours, limit, ratio } = row;
  const beside = limit === null ? "" : ` beside ${amount(limit)}: ${ratio!.toFixed(2)}`;
  return `${name}: ${amount(ours)} ${unit}${beside}${row.isReached ? "" : ", NOT REACHED"}`;
}

function amount(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2);
}

export function timeOf(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)}:${pad(whole % 60)} min`;
}

const pad = (value: number) => String(value).padStart(2, "0");
