import assert from "node:assert/strict";
import { FACTS } from "../../src/domain/refusals/refuse.ts";
import { roomOf } from "./rules.ts";
import { readSources, type SourceFile } from "./source.ts";

const ROOT = new URL("../../", import.meta.url);
/** Each noun's, and those of the store. */
const CATALOGUE = /\/rules\/refusals\.ts$|^src\/domain\/refusals\/(?!refuse\.ts)/;

Deno.test("each refusal is in one catalogue, and each catalogue is in use", async () => {
  const codes: string[] = [];
  for (const { path } of await readSources(ROOT, ["src/"])) {
    if (!CATALOGUE.test(path)) continue;
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

Deno.test("actions refuse by a code, never by a text of their own", async () => {
  const files = await readSources(ROOT, ["src/"]);
  const actions = files.filter(({ path }) => roomOf(path) === "actions");
  const prose = actions.filter(({ text }) => /\b(?:new|extends) OperatorError\b/.test(text));
  assert.deepEqual(prose.map(({ path }) => path), []);
});

function refuses({ names }: SourceFile): boolean {
  return names.has("refuse") || names.has("ActionRefused");
}
