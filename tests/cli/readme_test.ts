import assert from "node:assert/strict";
import { COMMANDS } from "../../src/cli/command_table.ts";
import { nameOf } from "../../src/cli/command.ts";
import { parseCommand } from "../../src/cli/parse.ts";
import { ENV_NAMES } from "../../src/config.ts";

const page = await Deno.readTextFile(new URL("../../README.md", import.meta.url));

Deno.test("every command line in README.md is one that the program understands", () => {
  const text = page.replace(/ \\\n\s*/g, " ");
  const lines = [...text.matchAll(/deno task cpg ([^\n`)]+)/g)].map(([, line]) => line!.trim());
  assert.ok(lines.length > 10);
  for (const line of lines) {
    if (line.includes("<command>")) continue;
    parseCommand(wordsOf(line), { commands: COMMANDS, isTerminal: false });
  }
});

Deno.test("README.md lists all commands and no others", () => {
  const [, table] = /## Commands\n([^]*?)\n## /.exec(page)!;
  const rows = table!.split("\n").filter((line) => line.startsWith("| `"));
  const listed = rows.flatMap((row) =>
    [...row.split("|")[1]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)
  );
  assert.deepEqual(listed.toSorted(), COMMANDS.map(nameOf).toSorted());
});

Deno.test("README.md describes the variables that the program reads, and no others", () => {
  const [, table] = /## Configuration\n([^]*?)\n## /.exec(page)!;
  const rows = table!.split("\n").filter((line) => line.startsWith("| CPG_"));
  const listed = rows.flatMap((row) => row.split("|")[1]!.split(",").map((name) => name.trim()));
  assert.deepEqual(listed.toSorted(), [...ENV_NAMES].toSorted());
});

/** As a shell splits it: spaces, and double quotes around what has some. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!);
}
