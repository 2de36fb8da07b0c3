import assert from "node:assert/strict";
import { DEED_GROUPS } from "../../src/dashboard/words/audit/deeds.ts";
import { WITHDRAWAL_MOVES } from "../../src/domain/states/withdrawal_moves.ts";

const ROOT = new URL("../../src/actions/", import.meta.url);
const TRIGGERS = Object.values(WITHDRAWAL_MOVES).flatMap((moves) => Object.keys(moves));

/** A line that names an action, or a constant for one. */
const NAMING = /\b(action|ACTION)\b|^\s*(export )?const [A-Z_]+ = "/;
/** Constants for something else. */
const NO_DEEDS = ["secrets.seed", "secrets.seals"];

async function* sources(folder: URL): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const url = new URL(isDirectory ? `${name}/` : name, folder);
    if (isDirectory) yield* sources(url);
    else yield await Deno.readTextFile(url);
  }
}

Deno.test("every action of the audit log has words", async () => {
  const texts = await Array.fromAsync(sources(ROOT));
  const found = texts.flatMap((text) => text.split("\n"))
    .filter((line) => NAMING.test(line) && !line.includes("import "))
    .flatMap((line) => [...line.matchAll(/"([a-z_]+\.[a-z_]+)"/g)])
    .map(([, action]) => action!)
    .filter((action) => !NO_DEEDS.includes(action));
  const done = new Set([...found, ...TRIGGERS.map((trigger) => `withdrawal.${trigger}`)]);
  const worded = Object.values(DEED_GROUPS).flatMap(({ deeds }) => Object.keys(deeds));
  assert.deepEqual([...done].filter((action) => !worded.includes(action)), []);
  assert.equal(new Set(worded).size, worded.length);
});
