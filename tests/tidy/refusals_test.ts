import assert from "node:assert/strict";
import { FACTS } from "../../src/domain/refusals/refuse.ts";
import { PROSE_REFUSALS } from "./prose_refusals.ts";
import { readSources, type SourceFile } from "./source.ts";

const ROOT = new URL("../../", import.meta.url);
const CATALOGUES = "src/domain/refusals/";

Deno.test("each refusal is in one catalogue, and each catalogue is in use", async () => {
  const codes: string[] = [];
  for (const { path } of await readSources(ROOT, [CATALOGUES])) {
    if (path.endsWith("/refuse.ts")) continue;
    const catalogues: object[] = Object.values(await import(new URL(path, ROOT).href));
    codes.push(...catalogues.flatMap((facts) => Object.keys(facts)));
  }
  assert.deepEqual(codes.toSorted(), Object.keys(FACTS).toSorted());
});

Deno.test("every refusal of the catalogues is thrown somewhere", async () => {
  const files = await readSources(ROOT, ["src/"]);
  const used = new Set(files.filter(refuses).flatMap(({ strings }) => strings));
  assert.deepEqual(Object.keys(FACTS).filter((code) => !used.has(code)), []);
});

Deno.test("actions refuse by a code, but for those still listed", async () => {
  const files = await readSources(ROOT, ["src/actions/"]);
  const found = files.map(({ path, text }) => [path, proseIn(text)] as const)
    .filter(([, count]) => count > 0);
  assert.deepEqual(Object.fromEntries(found), PROSE_REFUSALS);
});

function refuses({ names }: SourceFile): boolean {
  return names.has("refuse");
}

function proseIn(text: string): number {
  return [...text.matchAll(/\b(?:new|extends) OperatorError\b/g)].length;
}
