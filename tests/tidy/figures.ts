import { at } from "../../src/base/lists.ts";
import { folderOf } from "./rules.ts";
import type { SourceFile } from "./source.ts";

/** The goals for a comfortable code base. They are measured for the program, not for its tests. */
const GOALS = {
  "file lines, median": 70,
  "file lines, 90 %": 150,
  "file lines, longest": 250,
  "function lines, median": 8,
  "function lines, 90 %": 20,
  "function lines, longest": 45,
  "paths through a function, at most": 15,
  "type assertions (as)": 60,
  "non-null assertions (!)": 120,
  "files in the fullest folder": 20,
};

interface Figure {
  readonly name: string;
  readonly value: number;
  readonly goal: number;
}

export function isByHand({ text }: SourceFile): boolean {
  return !text.startsWith("// Written by `deno task ");
}

export function figuresOf(files: readonly SourceFile[]): Figure[] {
  const values = measure(files.filter(isByHand));
  return Object.entries(GOALS).map(([name, goal], i) => ({ name, value: at(values, i), goal }));
}

/** In the order of the goals. */
function measure(files: readonly SourceFile[]): number[] {
  const functions = files.flatMap((file) => file.functions);
  const outermost = functions.filter(({ isOutermost }) => isOutermost);
  const folders = [...Map.groupBy(files, ({ path }) => folderOf(path)).values()];
  const sum = (of: (file: SourceFile) => number) => files.reduce((all, file) => all + of(file), 0);
  return [
    ...spread(files.map(({ lines }) => lines)),
    ...spread(outermost.map(({ lines }) => lines)),
    Math.max(...functions.map(({ complexity }) => complexity)),
    sum(({ casts }) => casts),
    sum(({ bangs }) => bangs),
    Math.max(...folders.map(({ length }) => length)),
  ];
}

function spread(values: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  return [0.5, 0.9, 1].map((part) => sorted[Math.ceil(part * sorted.length) - 1]!);
}
