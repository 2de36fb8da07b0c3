import { folderOf } from "./rules.ts";
import type { SourceFile } from "./source.ts";

interface Figure {
  readonly name: string;
  readonly value: number;
}

function isByHand({ text }: SourceFile): boolean {
  return !text.startsWith("// Written by `deno task ");
}

/** Of the program, not of its tests. They are for whoever is curious, and nothing is held to them. */
export function figuresOf(sources: readonly SourceFile[]): Figure[] {
  const files = sources.filter(isByHand);
  const functions = files.flatMap((file) => file.functions);
  const outermost = functions.filter(({ isOutermost }) => isOutermost);
  const folders = [...Map.groupBy(files, ({ path }) => folderOf(path)).values()];
  const sum = (of: (file: SourceFile) => number) => files.reduce((all, file) => all + of(file), 0);
  return [
    ...spread("file lines", files.map(({ lines }) => lines)),
    ...spread("function lines", outermost.map(({ lines }) => lines)),
    {
      name: "paths through a function, most",
      value: Math.max(...functions.map((f) => f.complexity)),
    },
    { name: "type assertions (as)", value: sum(({ casts }) => casts) },
    { name: "non-null assertions (!)", value: sum(({ bangs }) => bangs) },
    {
      name: "files in the fullest folder",
      value: Math.max(...folders.map(({ length }) => length)),
    },
  ];
}

function spread(name: string, values: readonly number[]): Figure[] {
  const sorted = values.toSorted((a, b) => a - b);
  const parts = [["median", 0.5], ["90 %", 0.9], ["longest", 1]] as const;
  return parts.map(([part, share]) => ({
    name: `${name}, ${part}`,
    value: sorted[Math.ceil(share * sorted.length) - 1]!,
  }));
}
