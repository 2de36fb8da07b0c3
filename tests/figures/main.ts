import { figuresOf } from "../tidy/figures.ts";
import { exportsForTests } from "../tidy/rules.ts";
import { readSource, readSources, type SourceFile } from "../tidy/source.ts";

/** Deno's linter, which reads the sources, runs inside tests only. */
Deno.test("figures", async () => {
  const root = new URL(Deno.args[0] ?? "../..", import.meta.url);
  const base = new URL(root.href.endsWith("/") ? root : `${root}/`);
  const files = [...await readSources(base, ["src/"]), await readSource(base, "main.ts")];
  const rows = figuresOf(files).map(({ name, value }) => [name, String(value)]);
  rows.push(
    ["files", String(files.length)],
    ["lines", String(files.reduce((sum, { lines }) => sum + lines, 0))],
    ["exports that only tests import", String(await testOnly(base, files))],
  );
  const widths = [0, 1].map((i) => Math.max(...rows.map((row) => row[i]!.length)));
  const line = (row: string[]) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ");
  // deno-lint-ignore no-console -- printing is its purpose
  console.log(rows.map((row) => line(row).trimEnd()).join("\n"));
});

async function testOnly(root: URL, files: readonly SourceFile[]): Promise<number> {
  return exportsForTests([...files, ...await readSources(root, ["tests/"])]).length;
}
