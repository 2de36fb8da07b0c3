import { exportsForTests, folderOf } from "../tidy/rules.ts";
import { readSource, readSources, type SourceFile } from "../tidy/source.ts";

/** The goals for a comfortable code base. They are measured for the program, not for its tests. */
const GOALS = {
  "file lines, median / 90 % / longest": [70, 150, 250],
  "function lines, median / 90 % / longest": [8, 20, 45],
  "paths through a function, at most": [15],
  "type assertions (as)": [60],
  "non-null assertions (!)": [120],
  "files in the fullest folder": [20],
} as const;

/** Deno's linter, which reads the sources, runs inside tests only. */
Deno.test("figures", async () => {
  const root = new URL(Deno.args[0] ?? "../..", import.meta.url);
  const base = new URL(root.href.endsWith("/") ? root : `${root}/`);
  const files = [...await readSources(base, ["src/"]), await readSource(base, "main.ts")];
  const rows = Object.entries(figuresOf(files)).map(([name, figures]) => {
    const goal: readonly number[] = GOALS[name as keyof typeof GOALS];
    const isReached = figures.every((figure, i) => figure <= goal[i]!);
    return [name, figures.join(" / "), `≤ ${goal.join(" / ")}`, isReached ? "" : "not reached"];
  });
  rows.push(
    ["files", String(files.length), "", ""],
    ["lines", String(files.reduce((sum, { lines }) => sum + lines, 0)), "", ""],
    ["exports that only tests import", String(await testOnly(base, files)), "", ""],
  );
  const widths = [0, 1, 2].map((i) => Math.max(...rows.map((row) => row[i]!.length)));
  const line = (row: string[]) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ");
  // deno-lint-ignore no-console -- printing is its purpose
  console.log(rows.map((row) => line(row).trimEnd()).join("\n"));
});

function figuresOf(files: readonly SourceFile[]): Record<keyof typeof GOALS, number[]> {
  const functions = files.flatMap((file) => file.functions);
  const outermost = functions.filter(({ isOutermost }) => isOutermost);
  const folders = [...Map.groupBy(files, ({ path }) => folderOf(path)).values()];
  const sum = (of: (file: SourceFile) => number) => files.reduce((all, file) => all + of(file), 0);
  return {
    "file lines, median / 90 % / longest": spread(files.map(({ lines }) => lines)),
    "function lines, median / 90 % / longest": spread(outermost.map(({ lines }) => lines)),
    "paths through a function, at most": [Math.max(...functions.map((it) => it.complexity))],
    "type assertions (as)": [sum(({ casts }) => casts)],
    "non-null assertions (!)": [sum(({ bangs }) => bangs)],
    "files in the fullest folder": [Math.max(...folders.map((inside) => inside.length))],
  };
}

function spread(values: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  return [0.5, 0.9, 1].map((part) => sorted[Math.ceil(part * sorted.length) - 1]!);
}

async function testOnly(root: URL, files: readonly SourceFile[]): Promise<number> {
  return exportsForTests([...files, ...await readSources(root, ["tests/"])]).length;
}
